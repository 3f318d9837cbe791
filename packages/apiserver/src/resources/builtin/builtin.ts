import type { ResourceStrategy } from "../resource.js";
import { admissionStrategies } from "./admission-kinds.js";
import { autoscalingStrategies } from "./autoscaling.js";
import { volumeStrategies } from "./claims.js";
import { configStrategies } from "./config.js";
import { definitionStrategies } from "./definitions.js";
import { endpointSliceStrategies } from "./endpoint-slices.js";
import { eventStrategies } from "./events.js";
import { jobStrategies } from "./jobs.js";
import { BUILTIN_KINDS } from "./kinds.js";
import { policyStrategies } from "./network-policies.js";
import { ingressStrategies } from "./networking.js";
import { nodeStrategies } from "./nodes.js";
import { podStrategies } from "./pods.js";
import { quotaStrategies } from "./quotas.js";
import { rbacStrategies } from "./rbac.js";
import { serviceStrategies } from "./services.js";
import { setStrategies } from "./sets.js";
import { storageStrategies } from "./storage-classes.js";
import { builtinStrategy } from "./strategy.js";
import { workloadStrategies } from "./workloads.js";

/** The strategies of all built-in kinds, in the order of discovery. Cheap: schemas are resolved when they are asked for. */
export function builtinResources(): readonly ResourceStrategy[] {
  const strategies = new Map(AREAS.flatMap((area) => area()).map((strategy) => [strategy.info, strategy]));
  return [...BUILTIN_KINDS].map(([name, info]) => strategies.get(info) ?? builtinStrategy(name));
}

const AREAS: readonly (() => readonly ResourceStrategy[])[] = [
  configStrategies,
  podStrategies,
  workloadStrategies,
  setStrategies,
  jobStrategies,
  serviceStrategies,
  endpointSliceStrategies,
  ingressStrategies,
  policyStrategies,
  rbacStrategies,
  autoscalingStrategies,
  eventStrategies,
  volumeStrategies,
  storageStrategies,
  quotaStrategies,
  nodeStrategies,
  admissionStrategies,
  definitionStrategies,
];
