import { byCodeUnit, deepEqual } from "@fairlead/base";
import type { OwnerReference } from "@fairlead/apimachinery";
import { kinds, owns } from "@fairlead/client";
import {
  defineController,
  settled,
  watch,
  type Context,
  type ControllerDefinition,
  type Outcome,
  type Trigger,
} from "@fairlead/runtime";

import { controlled, isReady, templateHash } from "../workloads/pods.js";

const slice = owns(
  kinds.EndpointSlice,
  "metadata.labels",
  "metadata.ownerReferences",
  "addressType",
  "endpoints",
  "ports",
);
const MANAGED_BY = "endpointslice-controller.k8s.io";
const MAX_ENDPOINTS = 100;

/** Tells which pods stand behind each Service. */
export function endpointSliceController(): ControllerDefinition {
  return defineController<kinds.Service>({
    name: "endpointslice-controller",
    fieldManager: "endpointslice-controller",
    for: kinds.Service,
    owns: { slice },
    watches: [podsChanged()],
    onConflict: "take",
    reconcile: reconcileService,
  });
}

/** Pods bring the Services to work that select them. */
export function podsChanged(): Trigger {
  return watch(kinds.Pod, (pod, stores) =>
    stores
      .store(kinds.Service)
      .list()
      .filter((service) => service.metadata.namespace === pod.metadata.namespace && selects(service, pod))
      .map(({ metadata }) => ({ namespace: metadata.namespace ?? "", name: metadata.name })),
  );
}

/** Whether a Service's endpoints are for controllers to find. */
export function isPublished({ spec }: kinds.Service): boolean {
  return spec?.type !== "ExternalName" && Object.keys(spec?.selector ?? {}).length > 0;
}

export function selects(service: kinds.Service, pod: kinds.Pod): boolean {
  const selector = Object.entries(service.spec?.selector ?? {});
  return selector.length > 0 && selector.every(([key, value]) => pod.metadata.labels?.[key] === value);
}

async function reconcileService(service: kinds.Service, ctx: Context<kinds.Service>): Promise<Outcome> {
  const { namespace = "", name } = service.metadata;
  if (service.metadata.deletionTimestamp !== undefined || !isPublished(service)) return settled();
  const pods = ctx
    .store(kinds.Pod)
    .list()
    .filter((pod) => pod.metadata.namespace === namespace && selects(service, pod) && isListed(pod))
    .sort((a, b) => byCodeUnit(a.metadata.name, b.metadata.name));
  const groups = byPorts(service, pods);
  const held = controlled(ctx.store(kinds.EndpointSlice), service).filter(
    (s) => s.metadata.labels?.["endpointslice.kubernetes.io/managed-by"] === MANAGED_BY,
  );
  const names = new Set<string>();
  for (const [i, { ports, members }] of groups.entries()) {
    const sliceName = `${name}-${templateHash([service.metadata.uid ?? "", i]).slice(0, 5)}`;
    names.add(sliceName);
    const body = {
      metadata: { labels: sliceLabels(service), ownerReferences: [ownerOf(service)] },
      addressType: "IPv4" as const,
      endpoints: members.map((pod) => endpointOf(pod, service)),
      ports,
    };
    const live = held.find((s) => s.metadata.name === sliceName);
    if (
      live !== undefined &&
      deepEqual(live.endpoints ?? [], body.endpoints) &&
      deepEqual(live.ports ?? [], ports) &&
      deepEqual(live.metadata.labels ?? {}, body.metadata.labels)
    )
      continue;
    await ctx.apply(slice, { namespace, name: sliceName }, body as never);
  }
  for (const old of held) {
    if (!names.has(old.metadata.name))
      await ctx.client
        .api(kinds.EndpointSlice)
        .deleteObject(old, { signal: ctx.signal })
        .ignoreError("it may be gone already");
  }
  return settled();
}

/** Pods that are somewhere, have an address and have not ended. */
export function isListed(pod: kinds.Pod): boolean {
  return (
    (pod.status?.podIP ?? "") !== "" &&
    (pod.spec?.nodeName ?? "") !== "" &&
    pod.status?.phase !== "Succeeded" &&
    pod.status?.phase !== "Failed"
  );
}

function sliceLabels(service: kinds.Service): Readonly<Record<string, string>> {
  const headless = service.spec?.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {};
  return {
    ...service.metadata.labels,
    "endpointslice.kubernetes.io/managed-by": MANAGED_BY,
    "kubernetes.io/service-name": service.metadata.name,
    ...headless,
  };
}

function ownerOf(service: kinds.Service): OwnerReference {
  return {
    apiVersion: "v1",
    kind: "Service",
    name: service.metadata.name,
    uid: service.metadata.uid as OwnerReference["uid"],
    controller: true,
    blockOwnerDeletion: true,
  };
}

function endpointOf(pod: kinds.Pod, service: kinds.Service): unknown {
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = isReady(pod) || service.spec?.publishNotReadyAddresses === true;
  return {
    addresses: [pod.status?.podIP ?? ""],
    conditions: { ready: ready && !terminating, serving: ready, terminating },
    nodeName: pod.spec?.nodeName ?? "",
    targetRef: {
      kind: "Pod",
      namespace: pod.metadata.namespace ?? "",
      name: pod.metadata.name,
      uid: pod.metadata.uid ?? "",
    },
  };
}

interface Group {
  readonly ports: readonly unknown[];
  readonly members: readonly kinds.Pod[];
}

/** Pods by the numbers that the Service's ports have in them, at most a hundred together; one empty group for none. */
export function byPorts(service: kinds.Service, pods: readonly kinds.Pod[]): readonly Group[] {
  const groups = new Map<string, { ports: readonly unknown[]; members: kinds.Pod[] }>();
  for (const pod of pods) {
    const ports = (service.spec?.ports ?? []).map((port) => ({
      name: port.name ?? "",
      protocol: port.protocol ?? "TCP",
      port: portIn(pod, port),
      ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
    }));
    const known = ports.filter((p) => p.port !== undefined);
    const key = JSON.stringify(known);
    const group = groups.get(key) ?? { ports: known, members: [] };
    group.members.push(pod);
    groups.set(key, group);
  }
  if (groups.size === 0) return [{ ports: [], members: [] }];
  return [...groups.values()].flatMap(({ ports, members }) => {
    const parts: Group[] = [];
    for (let i = 0; i < members.length; i += MAX_ENDPOINTS)
      parts.push({ ports, members: members.slice(i, i + MAX_ENDPOINTS) });
    return parts;
  });
}

function portIn(pod: kinds.Pod, port: kinds.ServicePort): number | undefined {
  const target = port.targetPort ?? port.port;
  if (typeof target === "number") return target;
  for (const container of pod.spec?.containers ?? [])
    for (const p of container.ports ?? [])
      if (p.name === target && (p.protocol ?? "TCP") === (port.protocol ?? "TCP")) return p.containerPort;
  return undefined;
}
