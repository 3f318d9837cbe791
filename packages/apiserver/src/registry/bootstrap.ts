import { uuid, type JsonObject } from "@fairlead/base";

import { bootstrapPolicy } from "../auth/bootstrap-policy.js";
import { withMetadata } from "./metadata.js";
import type { Registry } from "./registry.js";

/** What every cluster has before anybody writes: the system's namespaces, its roles and the `kubernetes` Service. */
export async function bootstrap(registry: Registry, now: string): Promise<void> {
  for (const name of ["default", "kube-node-lease", "kube-public", "kube-system"]) {
    await put(registry, "/namespaces", name, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, creationTimestamp: now, labels: { "kubernetes.io/metadata.name": name } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  }
  for (const { collection, name, object } of bootstrapPolicy(now)) await put(registry, collection, name, object);
  await put(registry, "/services", "default/kubernetes", {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      creationTimestamp: now,
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: {
      clusterIP: "10.96.0.1",
      clusterIPs: ["10.96.0.1"],
      internalTrafficPolicy: "Cluster",
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 443 }],
      sessionAffinity: "None",
      type: "ClusterIP",
    },
    status: { loadBalancer: {} },
  });
}

async function put(registry: Registry, collection: string, key: string, object: JsonObject): Promise<void> {
  if (registry.storage.getForWrite(collection, key) !== undefined) return;
  await registry.storage.write(collection, key, 0, (revision) =>
    withMetadata(object, { uid: uuid(registry.random), resourceVersion: String(revision) }),
  );
}
