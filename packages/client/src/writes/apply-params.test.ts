import { describe, expect, it } from "vitest";
import { applyPatchParams, type ApplyParams, type mergeStatus, type MergeStatusOptions } from "../index.js";

const MANAGERS = ["tatara-reconciler", "tatara-export-worker", "per-shard-manager-42"];

describe("applyPatchParams", () => {
  it("T7 passes the field manager on verbatim", () => {
    expect(MANAGERS.map((manager) => applyPatchParams(manager).fieldManager)).toEqual(MANAGERS);
  });

  it("T8 forces", () => {
    expect(applyPatchParams("tatara-reconciler").force).toBe(true);
  });

  it("T9 neither runs dry nor validates fields", () => {
    const params = applyPatchParams("tatara-reconciler");
    expect(params.dryRun).toBe(false);
    expect(params.fieldValidation).toBeUndefined();
  });

  it("T10 equals the parameters written by hand", () => {
    for (const fieldManager of MANAGERS) {
      expect(applyPatchParams(fieldManager)).toStrictEqual({ verb: "apply", fieldManager, force: true, dryRun: false });
    }
  });

  it("is frozen, and not to be confused with the options of a merge", () => {
    expect(Object.isFrozen(applyPatchParams("a"))).toBe(true);
    // @ts-expect-error a merge has no force
    const options: MergeStatusOptions = { force: true };
    expect(options).toBeDefined();
    type Options = NonNullable<Parameters<typeof mergeStatus>[3]>;
    // @ts-expect-error nor does it take the parameters of an apply
    const mixed: Options = applyPatchParams("a") satisfies ApplyParams;
    expect(mixed).toBeDefined();
  });

  it.each([
    ["", "needs a name"],
    ["a".repeat(129), "longer than 128 bytes"],
    ["ä".repeat(65), "longer than 128 bytes"],
    ["a\nb", "not printable"],
  ])("refuses %j", (name, error) => {
    expect(() => applyPatchParams(name)).toThrow(error);
  });

  it("does not trim or fold", () => {
    expect(applyPatchParams(" Ünïcode Manager/1 ").fieldManager).toBe(" Ünïcode Manager/1 ");
  });
});
