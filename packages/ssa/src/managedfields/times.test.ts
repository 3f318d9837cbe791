import { expect, it } from "vitest";
import type { JsonObject } from "@fairlead/base";

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
])("%s", (_sentence, next, live, kept) => {
  const result = keepTimesOfNoOp(next, live);
  if (kept) expect(result).toEqual(live);
  else expect(result).toBe(next);
});
