import type { kinds } from "@fairlead/client";

import { scaled } from "./pods.js";

/** How many replicas a set should have now. */
export interface SetScale {
  readonly set: kinds.ReplicaSet;
  readonly replicas: number;
}

/** The next step of a rollout: how large each set should be, new ones growing and old ones shrinking within the bounds. */
export function scalePlan(
  deployment: kinds.Deployment,
  sets: readonly kinds.ReplicaSet[],
  current: kinds.ReplicaSet | undefined,
): readonly SetScale[] {
  const wanted = deployment.spec?.replicas ?? 1;
  const old = sets.filter((s) => s.metadata.uid !== current?.metadata.uid);
  if (current === undefined || deployment.spec?.paused === true) return proportional(deployment, sets, wanted);
  if (deployment.spec?.strategy?.type === "Recreate") return recreate(old, { current, wanted });
  return rolling(deployment, old, { current, wanted });
}

function recreate(
  old: readonly kinds.ReplicaSet[],
  { current, wanted }: { current: kinds.ReplicaSet; wanted: number },
): readonly SetScale[] {
  const shrink = old.map((set) => ({ set, replicas: 0 }));
  const gone = old.every(
    (s) =>
      (s.spec?.replicas ?? 0) === 0 && (s.status?.replicas ?? 0) === 0 && (s.status?.terminatingReplicas ?? 0) === 0,
  );
  return gone ? [...shrink, { set: current, replicas: wanted }] : shrink;
}

function rolling(
  deployment: kinds.Deployment,
  old: readonly kinds.ReplicaSet[],
  { current, wanted }: { current: kinds.ReplicaSet; wanted: number },
): readonly SetScale[] {
  const size = (s: kinds.ReplicaSet): number => s.spec?.replicas ?? 0;
  const oldTotal = old.reduce((n, s) => n + size(s), 0);
  const room = wanted + maxSurge(deployment, wanted) - oldTotal - size(current);
  const grown = size(current) > wanted ? wanted : Math.min(wanted, size(current) + Math.max(0, room));
  if (oldTotal === 0) return [{ set: current, replicas: grown }];
  // Old pods may go as far as enough others are available; those that are not available cost nothing.
  const available = [...old, current].reduce((n, s) => n + (s.status?.availableReplicas ?? 0), 0);
  const unhealthy = old.map((s) => Math.max(0, size(s) - (s.status?.availableReplicas ?? 0)));
  let spare = available - (wanted - maxUnavailable(deployment, wanted));
  const shrunk = old.map((set, i) => {
    const sick = unhealthy[i] ?? 0;
    const healthy = size(set) - sick;
    const take = Math.max(0, Math.min(healthy, spare));
    spare -= take;
    return { set, replicas: healthy - take };
  });
  return [{ set: current, replicas: grown }, ...shrunk];
}

/** A Deployment that is paused still follows its number of replicas, with the sets as they are. */
function proportional(
  _deployment: kinds.Deployment,
  sets: readonly kinds.ReplicaSet[],
  wanted: number,
): readonly SetScale[] {
  const active = sets.filter((s) => (s.spec?.replicas ?? 0) > 0);
  const [only] = active;
  return active.length === 1 && only !== undefined ? [{ set: only, replicas: wanted }] : [];
}

export function maxSurge(deployment: kinds.Deployment, wanted: number): number {
  if (deployment.spec?.strategy?.type === "Recreate") return 0;
  return scaled(deployment.spec?.strategy?.rollingUpdate?.maxSurge ?? "25%", wanted, true);
}

export function maxUnavailable(deployment: kinds.Deployment, wanted: number): number {
  if (deployment.spec?.strategy?.type === "Recreate") return 0;
  const value = scaled(deployment.spec?.strategy?.rollingUpdate?.maxUnavailable ?? "25%", wanted, false);
  return value === 0 && maxSurge(deployment, wanted) === 0 ? 1 : Math.min(value, wanted);
}
