import { isStatus } from "@fairlead/apimachinery";
import { kinds, owns } from "@fairlead/client";
import { defineController, settled, watch, type ControllerDefinition } from "@fairlead/runtime";

const ROOT_CA = "kube-root-ca.crt";
const bundle = owns(kinds.ConfigMap, "data", "metadata.annotations");

/** Keeps a ServiceAccount `default` in every namespace. */
export function serviceAccountController(): ControllerDefinition {
  return defineController<kinds.Namespace>({
    name: "serviceaccount-controller",
    fieldManager: "kube-controller-manager",
    for: kinds.Namespace,
    watches: [
      watch(kinds.ServiceAccount, (account) =>
        account.metadata.name === "default" ? [{ name: account.metadata.namespace ?? "" }] : [],
      ),
    ],
    reconcile: async (namespace, ctx) => {
      const { name } = namespace.metadata;
      if (
        namespace.metadata.deletionTimestamp !== undefined ||
        ctx.store(kinds.ServiceAccount).get({ namespace: name, name: "default" }) !== undefined
      )
        return settled();
      try {
        await ctx.client
          .api(kinds.ServiceAccount)
          .create({ metadata: { name: "default", namespace: name } }, { signal: ctx.signal });
      } catch (error) {
        if (!isHarmless(error)) throw error;
      }
      return settled();
    },
  });
}

/** Keeps the cluster's CA in every namespace. */
export function rootCaPublisher(options: { readonly authority: string }): ControllerDefinition {
  return defineController<kinds.Namespace>({
    name: "root-ca-certificate-publisher-controller",
    fieldManager: "kube-controller-manager",
    for: kinds.Namespace,
    watches: [
      watch(kinds.ConfigMap, (map) => (map.metadata.name === ROOT_CA ? [{ name: map.metadata.namespace ?? "" }] : []), {
        fieldSelector: `metadata.name=${ROOT_CA}`,
      }),
    ],
    onConflict: "take",
    reconcile: async (namespace, ctx) => {
      const { name } = namespace.metadata;
      if (namespace.metadata.deletionTimestamp !== undefined) return settled();
      const live = ctx.store(kinds.ConfigMap).get({ namespace: name, name: ROOT_CA });
      if (live?.data?.["ca.crt"] === options.authority) return settled();
      try {
        await ctx.apply(
          bundle,
          { namespace: name, name: ROOT_CA },
          {
            metadata: {
              annotations: {
                "kubernetes.io/description":
                  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
              },
            },
            data: { "ca.crt": options.authority },
          },
        );
      } catch (error) {
        if (!isHarmless(error)) throw error;
      }
      return settled();
    },
  });
}

/** The object is there already, or its namespace is going. */
function isHarmless(error: unknown): boolean {
  return (
    isStatus(error, "AlreadyExists") ||
    (isStatus(error, "NotFound") && error.status.details?.kind === "namespaces") ||
    (isStatus(error) && error.status.details?.causes?.some((c) => c.reason === "NamespaceTerminating") === true)
  );
}
