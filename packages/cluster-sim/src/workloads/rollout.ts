import { byCodeUnit } from "@fairlead/base";
import type { kinds } from "@fairlead/client";

import { scaled } from "./pods.js";

/** How many replicas a set should have now. */
export interface SetScale {
  readonly set: kinds.ReplicaSet;
  readonly replicas: number;
}

/** The sets of a Deployment: the one of its template, if there is one, and the others. */
export interface Sets {
  readonly current: kinds.ReplicaSet | undefined;
  readonly old: readonly kinds.ReplicaSet[];
}

export const DESIRED = "deployment.kubernetes.io/desired-replicas";
export const MAXIMUM = "deployment.kubernetes.io/max-replicas";

export function size(set: kinds.ReplicaSet | undefined): number {
  return set === undefined ? 0 : (set.spec?.replicas ?? 1);
}

export function wantedReplicas(deployment: kinds.Deployment): number {
  return deployment.spec?.replicas ?? 1;
}

/** Whether the number of replicas that is wanted changed since the sets were last scaled (k/k: isScalingEvent). */
export function isScaling(deployment: kinds.Deployment, { current, old }: Sets): boolean {
  return active([...old, ...listed(current)]).some((set) => {
    const desired = numberOf(set, DESIRED);
    return desired !== undefined && desired !== wantedReplicas(deployment);
  });
}

/** How large the set of a new template is made, beside the others. */
export function newSetSize(deployment: kinds.Deployment, { current, old }: Sets): number {
  const wanted = wantedReplicas(deployment);
  if (deployment.spec?.strategy?.type === "Recreate") return wanted;
  const total = sum([...old, ...listed(current)], size);
  const most = wanted + maxSurge(deployment, wanted);
  if (total >= most) return size(current);
  return size(current) + Math.min(most - total, wanted - size(current));
}

/**
 * The next step of a rolling update: the new set grows as far as the surge allows; only when it cannot, old sets shrink,
 * what is not available first (k/k: pkg/controller/deployment/rolling.go).
 */
export function rollingStep(
  deployment: kinds.Deployment,
  { current, old }: { readonly current: kinds.ReplicaSet; readonly old: readonly kinds.ReplicaSet[] },
): readonly SetScale[] {
  const wanted = wantedReplicas(deployment);
  if (size(current) !== wanted) {
    const replicas = size(current) > wanted ? wanted : newSetSize(deployment, { current, old });
    if (replicas !== size(current)) return [{ set: current, replicas }];
  }
  return shrinkOld(deployment, current, active(old));
}

function shrinkOld(
  deployment: kinds.Deployment,
  current: kinds.ReplicaSet,
  old: readonly kinds.ReplicaSet[],
): readonly SetScale[] {
  const wanted = wantedReplicas(deployment);
  const least = wanted - maxUnavailable(deployment, wanted);
  const all = sum([...old, current], size);
  const sick = all - least - (size(current) - available(current));
  if (sum(old, size) === 0 || sick <= 0) return [];
  const sizes = new Map(old.map((set) => [set, size(set)]));
  const sorted = byAge(old);
  let unhealthy = sick;
  for (const set of sorted) {
    const take = Math.min(unhealthy, Math.max(0, size(set) - available(set)));
    sizes.set(set, size(set) - take);
    unhealthy -= take;
  }
  let spare = sum([...old, current], available) - least;
  for (const set of sorted) {
    const take = Math.max(0, Math.min(sizes.get(set) ?? 0, spare));
    sizes.set(set, (sizes.get(set) ?? 0) - take);
    spare -= take;
  }
  return sorted
    .map((set) => ({ set, replicas: sizes.get(set) ?? 0 }))
    .filter(({ set, replicas }) => replicas !== size(set));
}

/** Old sets of a Deployment that recreates its pods go first, all at once. */
export function recreateStep(old: readonly kinds.ReplicaSet[]): readonly SetScale[] {
  return active(old).map((set) => ({ set, replicas: 0 }));
}

/**
 * What follows a change of the wanted number while nothing is rolled out, or a rollout is paused or under way: one set
 * takes it all, several share it in proportion to their sizes (k/k: pkg/controller/deployment/sync.go scale).
 */
export function scaleStep(deployment: kinds.Deployment, { current, old }: Sets): readonly SetScale[] {
  const wanted = wantedReplicas(deployment);
  const running = active([...listed(current), ...old]);
  if (running.length <= 1) {
    const only = running[0] ?? current ?? byAge(old).at(-1);
    return only === undefined ? [] : [{ set: only, replicas: wanted }];
  }
  if (isSaturated(deployment, current)) return active(old).map((set) => ({ set, replicas: 0 }));
  if (deployment.spec?.strategy?.type === "Recreate") return [];
  return inProportion(deployment, running);
}

function isSaturated(deployment: kinds.Deployment, current: kinds.ReplicaSet | undefined): boolean {
  const wanted = wantedReplicas(deployment);
  return (
    current !== undefined &&
    size(current) === wanted &&
    numberOf(current, DESIRED) === wanted &&
    available(current) === wanted
  );
}

function inProportion(deployment: kinds.Deployment, sets: readonly kinds.ReplicaSet[]): readonly SetScale[] {
  const wanted = wantedReplicas(deployment);
  const most = wanted > 0 ? wanted + maxSurge(deployment, wanted) : 0;
  const toAdd = most - sum(sets, size);
  const sorted = [...sets].sort(
    (a, b) =>
      size(b) - size(a) || (toAdd > 0 ? -1 : 1) * byCreation(a, b) || byCodeUnit(a.metadata.name, b.metadata.name),
  );
  let added = 0;
  const sizes = sorted.map((set) => {
    const share = toAdd === 0 || toAdd === added ? 0 : fraction(deployment, set);
    const allowed = toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
    const proportion = share === 0 ? 0 : allowed;
    added += proportion;
    return size(set) + proportion;
  });
  return sorted.map((set, i) => ({
    set,
    replicas: i === 0 ? Math.max(0, (sizes[i] ?? 0) + (toAdd - added)) : (sizes[i] ?? 0),
  }));
}

/** By how much a set grows when the whole does, by the size that the whole had before. */
function fraction(deployment: kinds.Deployment, set: kinds.ReplicaSet): number {
  const wanted = wantedReplicas(deployment);
  if (wanted === 0) return -size(set);
  const before = numberOf(set, MAXIMUM) ?? deployment.status?.replicas ?? 0;
  if (before === 0) return 0;
  return Math.round((size(set) * (wanted + maxSurge(deployment, wanted))) / before) - size(set);
}

export function active(sets: readonly kinds.ReplicaSet[]): readonly kinds.ReplicaSet[] {
  return sets.filter((set) => size(set) > 0);
}

export function sum<T>(items: readonly T[], of: (item: T) => number | undefined): number {
  return items.reduce((n, item) => n + (of(item) ?? 0), 0);
}

export function listed<T>(item: T | undefined): readonly T[] {
  return item === undefined ? [] : [item];
}

/** The oldest first. */
export function byAge(sets: readonly kinds.ReplicaSet[]): readonly kinds.ReplicaSet[] {
  return [...sets].sort((a, b) => byCreation(a, b) || byCodeUnit(a.metadata.name, b.metadata.name));
}

function byCreation(a: kinds.ReplicaSet, b: kinds.ReplicaSet): number {
  return byCodeUnit(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "");
}

function available(set: kinds.ReplicaSet): number {
  return set.status?.availableReplicas ?? 0;
}

function numberOf(set: kinds.ReplicaSet, annotation: string): number | undefined {
  const text = set.metadata.annotations?.[annotation];
  return text === undefined || !/^-?\d+$/.test(text) ? undefined : Number(text);
}

export function maxSurge(deployment: kinds.Deployment, wanted: number): number {
  if (deployment.spec?.strategy?.type === "Recreate") return 0;
  return scaled(deployment.spec?.strategy?.rollingUpdate?.maxSurge ?? "25%", wanted, true);
}

export function maxUnavailable(deployment: kinds.Deployment, wanted: number): number {
  if (deployment.spec?.strategy?.type === "Recreate" || wanted === 0) return 0;
  const value = scaled(deployment.spec?.strategy?.rollingUpdate?.maxUnavailable ?? "25%", wanted, false);
  return value === 0 && maxSurge(deployment, wanted) === 0 ? 1 : Math.min(value, wanted);
}
