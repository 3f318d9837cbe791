// The row of a pod (k/k: pkg/printers/internalversion/printers.go printPod): how far it is, in one word.
import type { JsonObject, JsonValue } from "@fairlead/base";
import type { StrategyContext } from "../resource.js";
import { at, bool, has, num, obj, objs, str } from "./access.js";
import { ageCell, ageOf, nameCell } from "./cells.js";

/** Name, Ready, Status, Restarts, Age, IP, Node, Nominated Node, Readiness Gates. */
export function podCells(pod: JsonObject, context: StrategyContext): readonly JsonValue[] {
  const spec = at(pod, "spec");
  const status = at(pod, "status");
  const progress = podProgress(pod);
  const total = objs(spec, "containers").length + objs(spec, "initContainers").filter(isSidecar).length;
  return [
    nameCell(pod),
    `${progress.ready}/${total}`,
    progress.reason,
    restartsCell(progress, context),
    ageOf(pod, context),
    str(objs(status, "podIPs")[0], "ip") || "<none>",
    str(spec, "nodeName") || "<none>",
    str(status, "nominatedNodeName") || "<none>",
    readinessGatesCell(spec, status),
  ];
}

interface Restarts {
  readonly count: number;
  /** Of the last one, as RFC 3339; "" for none. */
  readonly last: string;
}

interface Progress extends Restarts {
  readonly ready: number;
  readonly reason: string;
}

function isSidecar(container: JsonObject): boolean {
  return str(container, "restartPolicy") === "Always";
}

function restartsCell({ count, last }: Restarts, context: StrategyContext): string {
  return count !== 0 && last !== "" ? `${count} (${ageCell(last, context)} ago)` : String(count);
}

function podProgress(pod: JsonObject): Progress {
  const status = at(pod, "status");
  const phase = str(status, "phase");
  const gated = objs(status, "conditions").some(
    (c) => str(c, "type") === "PodScheduled" && str(c, "reason") === "SchedulingGated",
  );
  const start = gated ? "SchedulingGated" : str(status, "reason") || phase;
  const init = initProgress(pod, start);
  const initialized = isConditionTrue(status, "Initialized");
  const progress = init.initializing && !initialized ? init : runProgress(status, init);
  if (!has(at(pod, "metadata"), "deletionTimestamp")) return progress;
  if (str(status, "reason") === "NodeLost") return { ...progress, reason: "Unknown" };
  return phase === "Succeeded" || phase === "Failed" ? progress : { ...progress, reason: "Terminating" };
}

interface InitProgress extends Progress {
  readonly initializing: boolean;
  /** Of the containers that run beside the others although they are init containers. */
  readonly sidecars: Restarts;
}

function initProgress(pod: JsonObject, start: string): InitProgress {
  const containers = objs(at(pod, "spec"), "initContainers");
  const sidecars = new Set(containers.filter(isSidecar).map((c) => str(c, "name")));
  let all: Restarts = { count: 0, last: "" };
  let beside: Restarts = { count: 0, last: "" };
  let ready = 0;
  for (const [i, status] of objs(at(pod, "status"), "initContainerStatuses").entries()) {
    all = withRestarts(all, status);
    const sidecar = sidecars.has(str(status, "name"));
    if (sidecar) beside = withRestarts(beside, status);
    const terminated = obj(at(status, "state"), "terminated");
    if (terminated !== undefined && num(terminated, "exitCode") === 0) continue;
    if (sidecar && bool(status, "started")) {
      if (bool(status, "ready")) ready++;
      continue;
    }
    const reason = `Init:${initReason(status, `${i}/${containers.length}`)}`;
    return { ...all, ready, reason, initializing: true, sidecars: beside };
  }
  return { ...all, ready, reason: start, initializing: false, sidecars: beside };
}

function initReason(status: JsonObject, done: string): string {
  const terminated = obj(at(status, "state"), "terminated");
  if (terminated !== undefined) return terminatedReason(terminated);
  const waiting = str(obj(at(status, "state"), "waiting"), "reason");
  return waiting !== "" && waiting !== "PodInitializing" ? waiting : done;
}

function terminatedReason(terminated: JsonObject): string {
  const reason = str(terminated, "reason");
  if (reason !== "") return reason;
  const signal = num(terminated, "signal");
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${num(terminated, "exitCode")}`;
}

function withRestarts({ count, last }: Restarts, status: JsonObject): Restarts {
  const finished = str(obj(at(status, "lastState"), "terminated"), "finishedAt");
  return { count: count + num(status, "restartCount"), last: finished > last ? finished : last };
}

function runProgress(status: JsonObject, init: InitProgress): Progress {
  let restarts = init.sidecars;
  let { ready, reason } = init;
  let errorReason = "";
  let running = false;
  for (const container of [...objs(status, "containerStatuses")].reverse()) {
    restarts = withRestarts(restarts, container);
    const state = at(container, "state");
    const waiting = str(obj(state, "waiting"), "reason");
    const terminated = obj(state, "terminated");
    if (waiting !== "") reason = waiting;
    else if (terminated !== undefined) {
      reason = terminatedReason(terminated);
      if (num(terminated, "exitCode") !== 0) errorReason = reason;
    } else if (bool(container, "ready") && has(state, "running")) {
      running = true;
      ready++;
    }
  }
  if (reason !== "Completed") return { ...restarts, ready, reason };
  if (running && isConditionTrue(status, "Ready")) reason = "Running";
  else if (errorReason !== "") reason = errorReason;
  else if (running) reason = "NotReady";
  return { ...restarts, ready, reason };
}

function isConditionTrue(status: JsonObject, type: string): boolean {
  const condition = objs(status, "conditions").find((c) => str(c, "type") === type);
  return condition !== undefined && str(condition, "status") === "True";
}

function readinessGatesCell(spec: JsonObject, status: JsonObject): string {
  const gates = objs(spec, "readinessGates");
  if (gates.length === 0) return "<none>";
  return `${gates.filter((gate) => isConditionTrue(status, str(gate, "conditionType"))).length}/${gates.length}`;
}
