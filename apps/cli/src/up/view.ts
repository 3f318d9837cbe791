import type { Condition } from "@fairlead/apimachinery";
import { kinds, type Client } from "@fairlead/client";
import {
  IcmsRequest,
  MiniService,
  miniServiceName,
  REQUESTS_NAMESPACE,
  type FunctionState,
  type Phase,
} from "@fairlead/miniservice";

/** How a service stands, at one moment, as a person wants to know it. */
export interface View {
  readonly phase: Phase;
  readonly functionState: FunctionState | "";
  readonly conditions: readonly Condition[];
  readonly pods: { readonly ready: number; readonly wanted: number };
  /** Warnings about objects of the service that are not well, newest last. */
  readonly warnings: readonly Warning[];
  /** Changes with every change worth telling. */
  readonly signature: string;
}

export interface Warning {
  readonly object: string;
  readonly reason: string;
  readonly message: string;
}

/** Reads it all. */
export async function viewOf(client: Client, requestName: string): Promise<View> {
  const name = miniServiceName(requestName);
  const service = await client.api(MiniService).find(name);
  const request = await client.api(IcmsRequest).find({ namespace: REQUESTS_NAMESPACE, name: requestName });
  const { items: pods } = await client.api(kinds.Pod, requestName).list();
  const phase = service?.status?.phase ?? "";
  const functionState = (request?.status?.functionState ?? "") as FunctionState | "";
  const conditions = service?.status?.conditions ?? [];
  const counted = pods.filter((p) => p.metadata.deletionTimestamp === undefined && p.status?.phase !== "Succeeded");
  const ready = counted.filter(
    (p) => p.status?.conditions?.some((c) => c.type === "Ready" && c.status === "True") === true,
  ).length;
  const wanted = Math.max(counted.length, await wantedPods(client, requestName));
  const warnings = await warningsOf(client, requestName, pods);
  const signature = JSON.stringify([
    phase,
    functionState,
    ready,
    wanted,
    conditions.map((c) => [c.type, c.status, c.reason]),
    warnings.map((w) => [w.object, w.message]),
  ]);
  return { phase, functionState, conditions, pods: { ready, wanted }, warnings, signature };
}

/** What the workloads ask for, the worker included. */
async function wantedPods(client: Client, namespace: string): Promise<number> {
  const [deployments, sets] = await Promise.all([
    client.api(kinds.Deployment, namespace).list(),
    client.api(kinds.StatefulSet, namespace).list(),
  ]);
  const sum = (items: readonly { readonly spec?: { readonly replicas?: number } }[]): number =>
    items.reduce((n, o) => n + (o.spec?.replicas ?? 1), 0);
  const wanted = sum(deployments.items) + sum(sets.items);
  return wanted === 0 ? 0 : wanted + 1;
}

async function warningsOf(client: Client, namespace: string, pods: readonly kinds.Pod[]): Promise<readonly Warning[]> {
  const { items } = await client.api(kinds.Event, namespace).list();
  const sick = new Set(
    pods
      .filter(
        (p) =>
          p.status?.conditions?.some((c) => c.type === "Ready" && c.status === "True") !== true &&
          p.status?.phase !== "Succeeded",
      )
      .map((p) => p.metadata.name),
  );
  return items
    .filter((e) => e.type === "Warning" && (e.involvedObject.kind !== "Pod" || sick.has(e.involvedObject.name ?? "")))
    .map((e) => ({
      object: `${e.involvedObject.kind ?? ""} ${e.involvedObject.name ?? ""}`,
      reason: e.reason ?? "",
      message: e.message ?? "",
    }));
}

/** Whether a person's job is done. */
export function isUp(view: View): boolean {
  return (view.phase === "Running" && view.functionState === "ACTIVE") || view.phase === "Completed";
}

/** Why the service cannot come up: which object, which condition, what to do. Undefined while it may. */
export function failureOf(view: View, requestName: string): string | undefined {
  const object = `MiniService ${miniServiceName(requestName)}`;
  const refused = view.conditions.find((c) => c.type === "Accepted" && c.status === "False");
  if (refused !== undefined)
    return `${object}: condition Accepted=False (${refused.reason ?? ""}): ${refused.message ?? ""}`;
  if (view.phase !== "InstallFailed" && view.phase !== "Failed") return undefined;
  const bad =
    view.conditions.find(
      (c) => c.status === "False" && c.type !== "Accepted" && c.reason !== "WaitingOnObjectReadiness",
    ) ?? view.conditions.find((c) => c.status === "False");
  return `${object} is ${view.phase}: condition ${bad?.type ?? "?"}=False (${bad?.reason ?? ""}): ${bad?.message ?? ""}`;
}

/** What a service that does not move waits for. */
export function stallOf(view: View, requestName: string): string {
  const warning = view.warnings.at(-1);
  const condition = view.conditions.find((c) => c.status === "False");
  const where = `MiniService ${miniServiceName(requestName)} stays ${view.phase === "" ? "unreconciled" : view.phase} with ${view.pods.ready} of ${view.pods.wanted} pods ready`;
  if (warning !== undefined)
    return `${where}: ${warning.object}: ${warning.reason}: ${warning.message}; ${adviceFor(warning)}`;
  if (condition !== undefined)
    return `${where}: condition ${condition.type}=False (${condition.reason ?? ""}): ${(condition.message ?? "").trim()}`;
  return where;
}

function adviceFor({ reason, message }: Warning): string {
  const missing = /(secret|configmap) "([^"]+)" not found/.exec(message);
  if (missing !== null)
    return `create that ${missing[1] === "secret" ? "Secret" : "ConfigMap"}, or set the chart's values so that it does`;
  if (reason === "FailedScheduling")
    return "ask for less in the chart's values, or remove what keeps the pod off the nodes";
  return "see its events with kubectl describe";
}
