import { formatMicroTime } from "@fairlead/base";
import type { kinds } from "@fairlead/client";

type Lease = kinds.Lease;

/** Who takes part, and how long things take. client-go's defaults: 15 s, 10 s, 2 s. */
export interface LeaseTimes {
  /** How long a holder that says nothing is believed to be alive. */
  readonly durationMs: number;
  /** How long a leader goes on without having renewed; less than `durationMs`. */
  readonly renewDeadlineMs: number;
  /** Between two tries. */
  readonly retryMs: number;
}

export const DEFAULT_LEASE_TIMES: LeaseTimes = Object.freeze({
  durationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryMs: 2_000,
});

/**
 * What was seen of a lease, and when it was last seen to change, on this process's own monotonic clock. The holder's
 * times are compared for change only, never read as times, so clocks may disagree
 * (client-go: tools/leaderelection/leaderelection.go).
 */
export interface LeaseSeen {
  readonly lease: Lease | undefined;
  readonly changedAtMs: number;
}

export type LeasePlan =
  | { readonly kind: "create" }
  /** It is ours, free, or its holder is silent for too long. */
  | { readonly kind: "write"; readonly lease: Lease; readonly taken: boolean }
  | { readonly kind: "wait"; readonly holder: string };

/** Takes a new look at a lease: the time of the last change moves only when holder or renewal moved. */
export function observeLease(before: LeaseSeen, lease: Lease | undefined, nowMs: number): LeaseSeen {
  const [a, b] = [before.lease?.spec, lease?.spec];
  const same = before.lease !== undefined && a?.holderIdentity === b?.holderIdentity && a?.renewTime === b?.renewTime;
  return { lease, changedAtMs: same ? before.changedAtMs : nowMs };
}

/** What to do about a lease. Pure. */
export function leasePlan(seen: LeaseSeen, me: string, nowMs: number, fallbackMs: number): LeasePlan {
  const { lease } = seen;
  if (lease === undefined) return { kind: "create" };
  const holder = lease.spec?.holderIdentity ?? "";
  if (holder === me) return { kind: "write", lease, taken: false };
  const durationMs =
    lease.spec?.leaseDurationSeconds === undefined ? fallbackMs : lease.spec.leaseDurationSeconds * 1000;
  if (holder === "" || nowMs - seen.changedAtMs >= durationMs) return { kind: "write", lease, taken: true };
  return { kind: "wait", holder };
}

/** The spec of a lease that `me` holds from now on. */
export function heldSpec(
  before: Lease | undefined,
  me: string,
  o: { readonly nowMs: number; readonly durationMs: number },
): NonNullable<Lease["spec"]> {
  const now = formatMicroTime(o.nowMs);
  const spec = before?.spec;
  const mine = spec?.holderIdentity === me;
  return {
    holderIdentity: me,
    leaseDurationSeconds: Math.ceil(o.durationMs / 1000),
    acquireTime: mine && spec.acquireTime !== undefined ? spec.acquireTime : now,
    renewTime: now,
    leaseTransitions: (spec?.leaseTransitions ?? 0) + (before === undefined || mine ? 0 : 1),
  };
}

/** The spec of a lease that is given back, so that the next holder need not wait. */
export function freeSpec(before: Lease, nowMs: number): NonNullable<Lease["spec"]> {
  const now = formatMicroTime(nowMs);
  return {
    holderIdentity: "",
    leaseDurationSeconds: 1,
    acquireTime: now,
    renewTime: now,
    leaseTransitions: before.spec?.leaseTransitions ?? 0,
  };
}
