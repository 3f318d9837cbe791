import { labelSelectorOf, matchesLabels } from "@fairlead/apimachinery";
import type { JsonValue } from "@fairlead/base";
import type { kinds } from "@fairlead/client";

import { add, amounts, podRequests, shortage, type Amounts } from "./resources.js";

/** A node with the pods on it, those that are being bound included. */
export interface NodeState {
  readonly node: kinds.Node;
  readonly pods: readonly kinds.Pod[];
}

export interface SchedulingInput {
  readonly pod: kinds.Pod;
  readonly nodes: readonly NodeState[];
}

/** Which node a pod goes to, or why it goes to none, in the scheduler's own words. */
export type Placement =
  { readonly kind: "node"; readonly name: string } | { readonly kind: "none"; readonly message: string };

/** Filters by the rules in order, then takes the node with most room; of equals the first by name. */
export function place({ pod, nodes }: SchedulingInput): Placement {
  const wanted = podRequests(pod);
  const reasons = new Map<string, number>();
  const fits: { readonly name: string; readonly load: number }[] = [];
  for (const state of nodes) {
    const reason = refusal(pod, wanted, { state, nodes });
    if (reason === undefined) fits.push({ name: state.node.metadata.name, load: load(state) });
    else reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  fits.sort((a, b) => a.load - b.load || (a.name < b.name ? -1 : 1));
  const [best] = fits;
  if (best !== undefined) return { kind: "node", name: best.name };
  if (nodes.length === 0) return { kind: "none", message: "no nodes available to schedule pods" };
  const parts = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return { kind: "none", message: `0/${nodes.length} nodes are available: ${parts.join(", ")}.` };
}

/** Why a node is no place for a pod; undefined when it is one. */
function refusal(
  pod: kinds.Pod,
  wanted: Amounts,
  { state, nodes }: { readonly state: NodeState; readonly nodes: readonly NodeState[] },
): string | undefined {
  const { node, pods } = state;
  const tolerations = pod.spec?.tolerations ?? [];
  if (
    node.spec?.unschedulable === true &&
    !tolerates(tolerations, { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" })
  )
    return "node(s) were unschedulable";
  const taint = (node.spec?.taints ?? []).find(
    (t) => (t.effect === "NoSchedule" || t.effect === "NoExecute") && !tolerates(tolerations, t),
  );
  if (taint !== undefined) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`;
  const named = pod.spec?.nodeName;
  if (named !== undefined && named !== node.metadata.name) return "node(s) didn't match the requested node name";
  if (!matchesNode(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  if (violatesAffinity(pod, { state, nodes })) return "node(s) didn't match pod anti-affinity rules";
  const free = new Map(amounts(node.status?.allocatable ?? node.status?.capacity));
  for (const other of pods)
    for (const [name, amount] of podRequests(other)) free.set(name, (free.get(name) ?? 0n) - amount);
  const short = shortage(wanted, free);
  if (short === "pods") return "Too many pods";
  return short === undefined ? undefined : `Insufficient ${short}`;
}

function tolerates(
  tolerations: readonly kinds.Toleration[],
  taint: { readonly key: string; readonly value?: string; readonly effect: string },
): boolean {
  return tolerations.some((t) => {
    if ((t.effect ?? "") !== "" && t.effect !== taint.effect) return false;
    if ((t.key ?? "") === "") return t.operator === "Exists";
    if (t.key !== taint.key) return false;
    return t.operator === "Exists" || (t.value ?? "") === (taint.value ?? "");
  });
}

function matchesNode(pod: kinds.Pod, node: kinds.Node): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(pod.spec?.nodeSelector ?? {})) if (labels[key] !== value) return false;
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution as
    { readonly nodeSelectorTerms?: readonly Term[] } | undefined;
  const terms = required?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => matchesTerm(term, node));
}

interface Term {
  readonly matchExpressions?: readonly Expression[];
  readonly matchFields?: readonly Expression[];
}

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

function matchesTerm(term: Term, node: kinds.Node): boolean {
  const labels = node.metadata.labels ?? {};
  const fields: Readonly<Record<string, string>> = { "metadata.name": node.metadata.name };
  const all = (expressions: readonly Expression[] | undefined, of: Readonly<Record<string, string>>): boolean =>
    (expressions ?? []).every((e) => matchesExpression(e, Object.hasOwn(of, e.key) ? of[e.key] : undefined));
  const empty = (term.matchExpressions ?? []).length + (term.matchFields ?? []).length === 0;
  return !empty && all(term.matchExpressions, labels) && all(term.matchFields, fields);
}

function matchesExpression({ operator, values = [] }: Expression, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return value !== undefined && Number(value) > Number(values[0]);
    case "Lt":
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

interface AffinityTerm {
  readonly labelSelector?: unknown;
  readonly topologyKey: string;
  readonly namespaces?: readonly string[];
}

/** Required affinity to pods in the node's topology, and required distance from others. */
function violatesAffinity(
  pod: kinds.Pod,
  { state, nodes }: { readonly state: NodeState; readonly nodes: readonly NodeState[] },
): boolean {
  const anti = (pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ??
    []) as readonly AffinityTerm[];
  const near = (pod.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ??
    []) as readonly AffinityTerm[];
  if (anti.some((term) => neighbours(term, pod, { state, nodes }).length > 0)) return true;
  return near.some(
    (term) =>
      neighbours(term, pod, { state, nodes }).length === 0 &&
      !(selected(term, pod, pod) && everywhere(term, pod, nodes).length === 0),
  );
}

function neighbours(
  term: AffinityTerm,
  pod: kinds.Pod,
  { state, nodes }: { readonly state: NodeState; readonly nodes: readonly NodeState[] },
): readonly kinds.Pod[] {
  const domain = state.node.metadata.labels?.[term.topologyKey];
  if (domain === undefined) return [];
  return nodes
    .filter((n) => n.node.metadata.labels?.[term.topologyKey] === domain)
    .flatMap((n) => n.pods.filter((other) => selected(term, other, pod)));
}

function everywhere(term: AffinityTerm, pod: kinds.Pod, nodes: readonly NodeState[]): readonly kinds.Pod[] {
  return nodes.flatMap((n) => n.pods.filter((other) => selected(term, other, pod)));
}

function selected(term: AffinityTerm, other: kinds.Pod, pod: kinds.Pod): boolean {
  const namespaces = term.namespaces ?? [pod.metadata.namespace ?? ""];
  if (!namespaces.includes(other.metadata.namespace ?? "")) return false;
  return (
    term.labelSelector !== undefined &&
    matchesLabels(labelSelectorOf(term.labelSelector as JsonValue), other.metadata.labels ?? {})
  );
}

/** How full a node is, from 0 to 1, by its fullest resource. */
function load({ node, pods }: NodeState): number {
  const used = new Map<string, bigint>();
  for (const pod of pods) add(used, podRequests(pod));
  let fullest = 0;
  for (const [name, total] of amounts(node.status?.allocatable ?? node.status?.capacity)) {
    if (total > 0n) fullest = Math.max(fullest, Number(used.get(name) ?? 0n) / Number(total));
  }
  return fullest;
}
