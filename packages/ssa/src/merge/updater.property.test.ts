import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "@fairlead/base";

import { widget, widgetType } from "../typed/schema.fixtures.js";
import { fieldSetOfValue } from "../typed/to-field-set.js";
import { RUNS, specs } from "../typed/value.fixtures.js";
import type { MergeContext, TypedObject } from "./context.js";
import type { Managers } from "./managers.js";
import { applyObject, updateObject } from "./updater.js";

const context = (emptied: MergeContext["emptied"]): MergeContext => ({
  convert: (object) => object,
  ignored: () => undefined,
  emptied,
});
const typed = (spec: JsonObject, hasNull?: boolean): TypedObject => ({
  value: widget(spec),
  type: widgetType,
  apiVersion: "lab.dev/v1",
  ...(hasNull === undefined ? {} : { hasNull }),
});

describe.each(["empty", "null"] as const)("with emptied containers left %s", (emptied) => {
  it("the short cut of an apply that prunes nothing changes nothing", () => {
    fc.assert(
      fc.property(specs, specs, specs, fc.boolean(), (live, last, config, same) => {
        const applied = same ? last : config;
        const managers: Managers = new Map([
          ["a", { set: fieldSetOfValue(widget(last), widgetType), apiVersion: "lab.dev/v1", applied: true }],
          ["b", { set: fieldSetOfValue(widget(live), widgetType), apiVersion: "lab.dev/v1", applied: false }],
        ]);
        const input = { live: typed({ ...last, ...live }), managers, manager: "a", force: true };
        const fast = applyObject(context(emptied), { ...input, config: typed(applied, false) });
        const slow = applyObject(context(emptied), { ...input, config: typed(applied) });
        expect(fast.object?.value).toEqual(slow.object?.value);
        expect([...fast.managers]).toEqual([...slow.managers]);
      }),
      { numRuns: 3 * RUNS },
    );
  });

  it("an update back and forth leaves the others what neither touched", () => {
    fc.assert(
      fc.property(specs, specs, (first, second) => {
        const set = fieldSetOfValue(widget(first), widgetType);
        const managers: Managers = new Map([["a", { set, apiVersion: "lab.dev/v1", applied: true }]]);
        const there = updateObject(context(emptied), {
          before: typed(first),
          after: typed(second),
          managers,
          manager: "u",
        });
        const back = updateObject(context(emptied), {
          before: typed(second),
          after: typed(first),
          managers: there,
          manager: "u",
        });
        expect(back.get("a")).toEqual(there.get("a"));
      }),
    );
  });
});
