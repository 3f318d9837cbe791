import { structuralSchema } from "@fairlead/apimachinery";
import { type JsonObject } from "@fairlead/base";
import { systemClock } from "@fairlead/base/node";
import { applyConfiguration, TypeCache, type ManagerContext } from "@fairlead/ssa";

import { median, rounded, type Bench } from "./figure.js";

const FIELDS_PER_ITEM = 4;
const BATCHES = 15;
const WARM_UP = 5;
/** Fields applied per batch, whatever the length of the list. */
const FIELDS_PER_BATCH = 40_000;

/**
 * What a field costs in an apply that changes one of them, in a custom resource whose 2,000 fields are those of 500
 * items of a keyed list; beside the same with 50 items.
 */
export const ssaItems: Bench = {
  name: "ssa-items",
  measure() {
    const [many, few]: [number[], number[]] = [[], []];
    for (let batch = 0; batch < BATCHES + WARM_UP; batch++) {
      const [long, short] = [perField(500), perField(50)];
      if (batch < WARM_UP) continue;
      many.push(long);
      few.push(short);
    }
    const [at500, at50] = [median(many), median(few)];
    const detail = { nsPerFieldAt500: rounded(at500), nsPerFieldAt50: rounded(at50) };
    return Promise.resolve({
      name: "ssa-items",
      value: at500 / at50,
      unit: "ratio",
      goal: 1.3,
      better: "lower",
      detail,
    });
  },
};

const text = { type: "string" };
const item = { type: "object", properties: { name: text, image: text, zone: text, weight: { type: "integer" } } };
const items = { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], items: item };
const schema = structuralSchema({ type: "object", properties: { spec: { type: "object", properties: { items } } } });
const types = new TypeCache();
const context: ManagerContext = {
  gvk: { group: "lab.dev", version: "v1", kind: "Widget" },
  schemaFor: () => schema,
  convert: (object) => object,
  subresource: "",
  builtin: false,
  types,
  applyDefaults: () => undefined,
  now: "2026-01-01T00:00:00Z",
};

/** Nanoseconds per field of an apply, on average over about as many fields for any length of the list. */
function perField(length: number): number {
  const fields = length * FIELDS_PER_ITEM;
  const rounds = FIELDS_PER_BATCH / fields;
  const configs = Array.from({ length: rounds }, (_, round) => configOf(length, round));
  let live = applied(applied(undefined, "first", configOf(length, -1)), "second", configOf(length, -1));
  const began = systemClock.monotonic();
  for (const config of configs) live = applied(live, "second", config);
  return ((systemClock.monotonic() - began) * 1e6) / (rounds * fields);
}

const applied = (live: JsonObject | undefined, manager: string, config: JsonObject): JsonObject =>
  applyConfiguration(context, { live, config, manager, force: true });

function configOf(length: number, round: number): JsonObject {
  const list = Array.from({ length }, (_, i) => ({
    name: `item-${i}`,
    image: `registry.example/app:${i === 7 ? round : 1}`,
    zone: `zone-${i % 3}`,
    weight: i,
  }));
  return { apiVersion: "lab.dev/v1", kind: "Widget", metadata: { name: "w" }, spec: { items: list } };
}
