import type { Phase } from "../api.js";

/** What a function's users see of it. */
export type FunctionState = "DEPLOYING" | "ACTIVE" | "DEGRADING" | "DEGRADED" | "ERROR" | "INACTIVE";

/** How an instance stands, as it is reported upstream. */
export type InstanceState = "none" | "starting" | "running" | "terminated";

/** The state that an instance is reported with. */
export function instanceState(phase: Phase | undefined): InstanceState {
  switch (phase ?? "") {
    case "":
      return "none";
    case "CachingInProgress":
    case "Installing":
    case "Installed":
    case "Starting":
      return "starting";
    case "Running":
    case "Completed":
      return "running";
    case "InstallFailed":
    case "Failed":
      return "terminated";
  }
}

export interface FunctionInput {
  readonly instances: readonly InstanceState[];
  readonly minInstances: number;
  /** Whether the function has been ACTIVE before. */
  readonly wasActive: boolean;
  /** Whether nobody wants the function any more. */
  readonly terminated?: boolean;
}

/**
 * The function's state from its instances: enough of them run, some run, all were lost, none came up, or they are on
 * their way.
 */
export function deriveFunctionState({
  instances,
  minInstances,
  wasActive,
  terminated = false,
}: FunctionInput): FunctionState {
  if (terminated) return "INACTIVE";
  const running = instances.filter((i) => i === "running").length;
  if (running > 0) return running >= minInstances ? "ACTIVE" : "DEGRADING";
  if (instances.some((i) => i === "starting" || i === "none") && !wasActive) return "DEPLOYING";
  if (wasActive) return "DEGRADED";
  return instances.some((i) => i === "terminated") ? "ERROR" : "DEPLOYING";
}
