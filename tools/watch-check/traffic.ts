import type { Clock, JsonObject, Random } from "@fairlead/base";
import type { OperationRequest, Recorder, Selection } from "@fairlead/testing";

/** What everybody in a load shares. */
export interface Load {
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** The newest revision of the server. */
  readonly revision: () => number;
}

export const CRD: JsonObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.lab.dev" },
  spec: {
    group: "lab.dev",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", additionalProperties: { type: "string" } },
              status: { type: "object", additionalProperties: { type: "string" } },
            },
          },
        },
        subresources: { status: {} },
      },
    ],
  },
};

export const RESOURCES: readonly string[] = ["configmaps", "widgets"];
const NAMESPACES = ["default", "kube-public"];
const NAMES = ["a", "b", "c", "d"];
const TIERS = ["web", "db", "cache"];

export function pathOf(resource: string): string {
  return resource === "widgets" ? "/apis/lab.dev/v1" : "/api/v1";
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random.next() * items.length)] as T;
}

/** Everything, a namespace, one object, and selections that objects enter and leave. */
export function anySelection(random: Random): Selection {
  const resource = pick(random, RESOURCES);
  const namespace = random.next() < 0.5 ? {} : { namespace: pick(random, NAMESPACES) };
  const labels = ["tier=web", "tier in (web,db)", "tier!=cache", "!tier", "held"];
  const kind = random.next();
  if (kind < 0.3) return { resource, ...namespace };
  if (kind < 0.5) return { resource, ...namespace, fieldSelector: `metadata.name=${pick(random, NAMES)}` };
  if (kind < 0.6)
    return { resource, ...namespace, fieldSelector: "metadata.name!=a", labelSelector: pick(random, labels) };
  return { resource, ...namespace, labelSelector: pick(random, labels) };
}

/** One client that writes and reads single objects: bursts, and pauses between them. */
export async function write(load: Load, count: number, written: () => number): Promise<void> {
  const { recorder, clock, random, signal } = load;
  const seen = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    await clock.sleep(random.next() * (random.next() < 0.9 ? 20 : 6000), signal);
    const place = { resource: pick(random, RESOURCES), namespace: pick(random, NAMESPACES), name: pick(random, NAMES) };
    const id = Object.values(place).join();
    const request = anyOperation(random, place, { expected: seen.get(id), n: String(written()) });
    const cut = new AbortController();
    const stop = random.next() < 0.06 ? clock.schedule(random.next() * 30, () => cut.abort()) : undefined;
    const outcome = await recorder.operate(request, cut.signal);
    stop?.();
    const metadata = outcome.kind === "object" ? (outcome.object["metadata"] as JsonObject) : {};
    if (outcome.kind === "object") seen.set(id, Number(metadata["resourceVersion"]));
  }
}

function anyOperation(
  random: Random,
  place: Pick<OperationRequest, "resource" | "namespace" | "name">,
  { expected, n }: { readonly expected: number | undefined; readonly n: string },
): OperationRequest {
  const conditional = expected !== undefined && random.next() < 0.5 ? { expected } : {};
  const kind = random.next();
  if (kind < 0.1) return { type: "read", ...place };
  if (kind < 0.28) return { type: "delete", ...place, ...conditional };
  if (kind < 0.48) return { type: "create", ...place, object: anyObject(random, place, n) };
  if (kind < 0.7) return { type: "update", ...place, ...conditional, object: anyObject(random, place, n) };
  if (kind < 0.76 && place.resource === "widgets") {
    const object = { ...anyObject(random, place, n), status: { n } };
    return { type: "update", ...place, ...conditional, subresource: "status", object };
  }
  const manager = pick(random, ["left", "right"]);
  const tier = pick(random, TIERS);
  const object = typed(place, { name: place.name, labels: { tier } }, { [manager]: tier });
  const query = `fieldManager=${manager}&force=true`;
  return { type: "apply", ...place, query, object, intent: `${manager} ${tier}` };
}

function anyObject(random: Random, place: { readonly resource: string; readonly name: string }, n: string): JsonObject {
  const labels = {
    ...(random.next() < 0.8 ? { tier: pick(random, TIERS) } : {}),
    ...(random.next() < 0.3 ? { held: "" } : {}),
  };
  const finalizers = random.next() < 0.25 ? { finalizers: ["lab.dev/hold"] } : {};
  return typed(place, { name: place.name, labels, ...finalizers }, { n });
}

function typed({ resource }: { readonly resource: string }, metadata: JsonObject, data: JsonObject): JsonObject {
  return resource === "widgets"
    ? { apiVersion: "lab.dev/v1", kind: "Widget", metadata, spec: data }
    : { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}
