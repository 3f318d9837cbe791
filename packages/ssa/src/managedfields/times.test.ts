import { expect, it } from "vitest";
import type { JsonObject } from "@fairlead/base";

import { managedFieldsOf, metadataOf } from "./metadata.js";
import { keepTimesOfNoOp } from "./times.js";

const object = (time: string | undefined, spec: JsonObject, manager = "a"): JsonObject => ({
  metadata: { name: "w", managedFields: [{ manager, ...(time === undefined ? {} : { time }) }] },
  spec,
});

it.each<[sentence: string, next: JsonObject, live: JsonObject, kept: boolean]>([
  ["takes the stored time where only times differ", object("2", { a: 1 }), object("1", { a: 1 }), true],
  ["takes the stored lack of a time", object("2", { a: 1 }), object(undefined, { a: 1 }), true],
  ["keeps a new time beside a change", object("2", { a: 2 }), object("1", { a: 1 }), false],
  ["keeps a new time beside a change of ownership", object("2", { a: 1 }, "b"), object("1", { a: 1 }, "a"), false],
  [
    "keeps a new time beside a field that is new",
    { ...object("2", { a: 1 }), status: {} },
    object("1", { a: 1 }),
    false,
  ],
  [
    "keeps a new time beside a field that is gone",
    object("2", { a: 1 }),
    { ...object("1", { a: 1 }), status: {} },
    false,
  ],
  [
    "keeps a new time beside a field of another name",
    { ...object("2", { a: 1 }), x: 1 },
    { ...object("1", { a: 1 }), y: 1 },
    false,
  ],
  [
    "keeps a new time beside a change of metadata",
    object("2", { a: 1 }),
    { metadata: { ...metadataOf(object("1", {})), labels: {} }, spec: { a: 1 } },
    false,
  ],
  [
    "keeps a new time beside one entry more",
    { metadata: { name: "w", managedFields: [{ manager: "a", time: "2" }, { manager: "b" }] }, spec: {} },
    object("1", {}),
    false,
  ],
  ["keeps managedFields where none are stored", object("2", {}), { metadata: { name: "w" }, spec: {} }, false],
  ["keeps none where some are stored", { metadata: { name: "w" }, spec: {} }, object("2", {}), false],
  [
    "keeps what is no list",
    { metadata: { name: "w", managedFields: "x" }, spec: {} },
    { metadata: { name: "w", managedFields: "y" }, spec: {} },
    false,
  ],
  [
    "keeps entries that are no objects",
    { metadata: { name: "w", managedFields: [5] }, spec: {} },
    { metadata: { name: "w", managedFields: [6] }, spec: {} },
    false,
  ],
  [
    "keeps an empty list",
    { metadata: { name: "w", managedFields: [] }, spec: {} },
    { metadata: { name: "w", managedFields: [] }, spec: {} },
    false,
  ],
])("%s", (_sentence, next, live, kept) => {
  const result = keepTimesOfNoOp(next, live);
  if (kept) expect(result).toEqual(live);
  else expect(result).toBe(next);
});

it("shares the stored managedFields, and everything else with the next object", () => {
  const [next, live] = [object("2", { a: 1 }), object("1", { a: 1 })];
  const result = keepTimesOfNoOp(next, live);
  expect(managedFieldsOf(result)).toBe(managedFieldsOf(live));
  expect(result["spec"]).toBe(next["spec"]);
  expect(keepTimesOfNoOp(live, live)).toBe(live);
  const same = { ...next, metadata: live["metadata"] };
  expect(keepTimesOfNoOp(same as JsonObject, live)).toBe(same);
});
