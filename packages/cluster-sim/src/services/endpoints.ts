import { byCodeUnit, deepEqual } from "@fairlead/base";
import { keyOf } from "@fairlead/apimachinery";
import { kinds, owns } from "@fairlead/client";
import {
  defineController,
  settled,
  watch,
  type Context,
  type ControllerDefinition,
  type Outcome,
} from "@fairlead/runtime";

import { isReady } from "../workloads/pods.js";
import { byPorts, isListed, isPublished, podsChanged, selects } from "./endpoint-slices.js";

const MANAGED_BY = "endpoints.kubernetes.io/managed-by";
const MANAGER = "endpoint-controller";
const endpoints = owns(kinds.Endpoints, "metadata.labels", "subsets");

/** Tells of each Service in the older form, too, which of its pods are ready and which are not. */
export function endpointsController(): ControllerDefinition {
  return defineController<kinds.Service>({
    name: "endpoints-controller",
    fieldManager: "kube-controller-manager",
    for: kinds.Service,
    watches: [podsChanged(), watch(kinds.Endpoints, (object) => [keyOf(object)])],
    onConflict: "take",
    reconcile: reconcileService,
  });
}

/** Endpoints of Services that are gone go, too. */
export function abandonedEndpoints(): ControllerDefinition {
  return defineController<kinds.Endpoints>({
    name: "endpoints-of-no-service",
    fieldManager: "kube-controller-manager",
    for: kinds.Endpoints,
    watches: [watch(kinds.Service, (service) => [keyOf(service)])],
    reconcile: async (object, ctx) => {
      if (object.metadata.labels?.[MANAGED_BY] !== MANAGER) return settled();
      if (ctx.store(kinds.Service).get(keyOf(object)) !== undefined) return settled();
      if ((await ctx.client.api(kinds.Service).find(keyOf(object), { signal: ctx.signal })) !== undefined)
        return settled();
      await ctx.client
        .api(kinds.Endpoints)
        .deleteObject(object, { signal: ctx.signal })
        .ignoreError("it may be gone already");
      return settled();
    },
  });
}

async function reconcileService(service: kinds.Service, ctx: Context<kinds.Service>): Promise<Outcome> {
  const { namespace = "" } = service.metadata;
  if (service.metadata.deletionTimestamp !== undefined || !isPublished(service)) return settled();
  const pods = ctx
    .store(kinds.Pod)
    .list()
    .filter((pod) => pod.metadata.namespace === namespace && selects(service, pod) && isListed(pod))
    .filter((pod) => pod.metadata.deletionTimestamp === undefined)
    .sort((a, b) => byCodeUnit(a.metadata.name, b.metadata.name));
  const subsets = byPorts(service, pods)
    .filter(({ members }) => members.length > 0)
    .map(({ ports, members }) => {
      const open = (pod: kinds.Pod): boolean => service.spec?.publishNotReadyAddresses === true || isReady(pod);
      const addresses = members.filter(open).map(addressOf);
      const notReadyAddresses = members.filter((pod) => !open(pod)).map(addressOf);
      return {
        ...(addresses.length === 0 ? {} : { addresses }),
        ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
        ...(ports.length === 0 ? {} : { ports: ports.map(withoutEmptyName) }),
      };
    });
  const headless = service.spec?.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {};
  const labels = { ...service.metadata.labels, [MANAGED_BY]: MANAGER, ...headless };
  const live = ctx.store(kinds.Endpoints).get(keyOf(service));
  if (live !== undefined && deepEqual(live.subsets ?? [], subsets) && deepEqual(live.metadata.labels ?? {}, labels))
    return settled();
  const body = { metadata: { labels }, ...(subsets.length === 0 ? {} : { subsets }) };
  await ctx.apply(endpoints, keyOf(service), body as never);
  return settled();
}

function addressOf(pod: kinds.Pod): unknown {
  const { name, namespace = "", uid = "" } = pod.metadata;
  return {
    ip: pod.status?.podIP ?? "",
    nodeName: pod.spec?.nodeName ?? "",
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

function withoutEmptyName(port: unknown): unknown {
  const { name, ...rest } = port as { readonly name?: string };
  return name === undefined || name === "" ? rest : { name, ...rest };
}
