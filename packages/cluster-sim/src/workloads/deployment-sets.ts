import { deepEqual } from "@fairlead/base";
import type { NewObject, kinds } from "@fairlead/client";

import { templateHash } from "./pods.js";
import { byAge, DESIRED, MAXIMUM, maxSurge, wantedReplicas, type Sets } from "./rollout.js";

export const REVISION = "deployment.kubernetes.io/revision";
const HISTORY = "deployment.kubernetes.io/revision-history";
export const HASH_LABEL = "pod-template-hash";
const HISTORY_LIMIT = 2000;

/** Annotations of a Deployment that its sets do not get. */
const OWN: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  HISTORY,
  DESIRED,
  MAXIMUM,
  "deprecated.deployment.rollback.to",
]);

/** The set whose template is the Deployment's, of several the oldest, and all others. */
export function splitSets(deployment: kinds.Deployment, sets: readonly kinds.ReplicaSet[]): Sets {
  const current = byAge(sets).find((set) => hasTemplate(set, deployment));
  return { current, old: sets.filter((set) => set.metadata.uid !== current?.metadata.uid) };
}

export function hasTemplate(set: kinds.ReplicaSet, deployment: kinds.Deployment): boolean {
  return deepEqual(withoutHash(set.spec?.template), withoutHash(deployment.spec?.template));
}

function withoutHash(template: kinds.PodTemplateSpec | undefined): unknown {
  const { [HASH_LABEL]: _hash, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}

export function revisionOf(set: kinds.ReplicaSet): number {
  const text = set.metadata.annotations?.[REVISION];
  return text === undefined || !/^\d+$/.test(text) ? 0 : Number(text);
}

export function nextRevision(old: readonly kinds.ReplicaSet[]): number {
  return Math.max(0, ...old.map(revisionOf)) + 1;
}

/** What its set tells of a Deployment: its annotations, and a revision above those of all other sets. */
export function annotationsOfSet(
  deployment: kinds.Deployment,
  set: Pick<kinds.ReplicaSet["metadata"], "annotations">,
  revision: number,
): Readonly<Record<string, string>> {
  const held = set.annotations ?? {};
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !OWN.has(key));
  const before = held[REVISION];
  const known = before === undefined ? 0 : Number(before);
  return {
    ...held,
    ...Object.fromEntries(copied),
    ...(known < revision ? { [REVISION]: String(revision) } : {}),
    ...(before !== undefined && known < revision ? { [HISTORY]: withRevision(held[HISTORY] ?? "", before) } : {}),
  };
}

function withRevision(history: string, revision: string): string {
  const all = history === "" ? [revision] : [...history.split(","), revision];
  while (all.join(",").length > HISTORY_LIMIT) all.shift();
  return all.join(",");
}

/** For how many replicas a set was last scaled. */
export function replicaAnnotations(deployment: kinds.Deployment): Readonly<Record<string, string>> {
  const wanted = wantedReplicas(deployment);
  return { [DESIRED]: String(wanted), [MAXIMUM]: String(wanted + maxSurge(deployment, wanted)) };
}

/** The annotations of an object that are to be written: those that are not as wanted. */
export function changedAnnotations(
  held: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => held?.[key] !== value));
}

/** The set that a Deployment's template asks for. */
export function newSet(
  deployment: kinds.Deployment,
  { replicas, revision }: { readonly replicas: number; readonly revision: number },
): Pick<NewObject<kinds.ReplicaSet>, "spec"> & { readonly metadata: Omit<kinds.ReplicaSet["metadata"], "uid"> } {
  const { namespace = "", name } = deployment.metadata;
  const hash = templateHash(deployment.spec?.template, deployment.status?.collisionCount ?? 0);
  const labels = { ...deployment.spec?.template?.metadata?.labels, [HASH_LABEL]: hash };
  return {
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: { ...annotationsOfSet(deployment, {}, revision), ...replicaAnnotations(deployment) },
    },
    spec: {
      replicas,
      ...(deployment.spec?.minReadySeconds === undefined ? {} : { minReadySeconds: deployment.spec.minReadySeconds }),
      selector: {
        ...deployment.spec?.selector,
        matchLabels: { ...deployment.spec?.selector?.matchLabels, [HASH_LABEL]: hash },
      },
      template: { ...deployment.spec?.template, metadata: { ...deployment.spec?.template?.metadata, labels } },
    },
  };
}

/** The sets that may go: beyond the history limit, without pods, the oldest revisions first. */
export function surplusSets(
  deployment: kinds.Deployment,
  old: readonly kinds.ReplicaSet[],
): readonly kinds.ReplicaSet[] {
  const limit = deployment.spec?.revisionHistoryLimit ?? 10;
  const there = old.filter((set) => set.metadata.deletionTimestamp === undefined);
  return [...there]
    .sort((a, b) => revisionOf(a) - revisionOf(b))
    .slice(0, Math.max(0, there.length - limit))
    .filter(
      (set) =>
        (set.spec?.replicas ?? 0) === 0 &&
        (set.status?.replicas ?? 0) === 0 &&
        (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0),
    );
}
