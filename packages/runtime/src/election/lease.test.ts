import type { kinds } from "@fairlead/client";
import { describe, expect, it } from "vitest";
import { freeSpec, heldSpec, leasePlan, observeLease, type LeasePlan, type LeaseSeen } from "./lease.js";

function lease(holderIdentity: string, renewTime = "t1", leaseDurationSeconds = 15): kinds.Lease {
  return {
    metadata: { name: "l" },
    spec: { holderIdentity, renewTime, leaseDurationSeconds, acquireTime: "t0", leaseTransitions: 3 },
  };
}
const seen = (one: kinds.Lease | undefined, changedAtMs = 0): LeaseSeen => ({ lease: one, changedAtMs });

describe("a candidate", () => {
  it.each<[sentence: string, seen: LeaseSeen, nowMs: number, plan: LeasePlan["kind"] | "take"]>([
    ["makes the lease when there is none", seen(undefined), 0, "create"],
    ["renews its own, however old", seen(lease("me")), 1_000_000, "write"],
    ["takes a free one at once", seen(lease("")), 0, "take"],
    ["waits while the holder may be alive", seen(lease("other")), 14_999, "wait"],
    ["takes it when the holder was silent for the whole duration", seen(lease("other")), 15_000, "take"],
    ["counts from when it saw the last change", seen(lease("other"), 10_000), 20_000, "wait"],
    ["goes by the duration that the holder asked for", seen(lease("other", "t1", 60)), 30_000, "wait"],
  ])("%s", (_sentence, before, nowMs, want) => {
    const plan = leasePlan(before, "me", nowMs, 15_000);
    expect(plan.kind === "write" && plan.taken ? "take" : plan.kind).toBe(want);
  });

  it("sees a change when the holder or its renewal changes, and only then", () => {
    const first = observeLease(seen(undefined), lease("other"), 5);
    expect(first.changedAtMs).toBe(5);
    expect(observeLease(first, lease("other"), 9).changedAtMs).toBe(5);
    expect(observeLease(first, lease("other", "t2"), 9).changedAtMs).toBe(9);
    expect(observeLease(first, lease("third"), 9).changedAtMs).toBe(9);
  });

  it("counts transitions, and keeps the time of acquisition while it renews", () => {
    expect(heldSpec(lease("other"), "me", { nowMs: 0, durationMs: 15_000 })).toEqual({
      holderIdentity: "me",
      leaseDurationSeconds: 15,
      acquireTime: "1970-01-01T00:00:00.000000Z",
      renewTime: "1970-01-01T00:00:00.000000Z",
      leaseTransitions: 4,
    });
    expect(heldSpec(lease("me"), "me", { nowMs: 0, durationMs: 15_000 })).toMatchObject({
      acquireTime: "t0",
      leaseTransitions: 3,
    });
    expect(heldSpec(undefined, "me", { nowMs: 0, durationMs: 15_000 }).leaseTransitions).toBe(0);
    expect(freeSpec(lease("me"), 0)).toMatchObject({ holderIdentity: "", leaseTransitions: 3 });
  });
});
