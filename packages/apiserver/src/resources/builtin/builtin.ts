import type { ResourceStrategy } from "../resource.js";
import { configStrategies } from "./config.js";
import { jobStrategies } from "./jobs.js";
import { BUILTIN_KINDS } from "./kinds.js";
import { podStrategies } from "./pods.js";
import { setStrategies } from "./sets.js";
import { builtinStrategy } from "./strategy.js";
import { workloadStrategies } from "./workloads.js";

/** The strategies of all built-in kinds, in the order of discovery. Cheap: schemas are resolved when they are asked for. */
export function builtinResources(): readonly ResourceStrategy[] {
  const strategies = new Map(areas().map((strategy) => [strategy.info, strategy]));
  return [...BUILTIN_KINDS].map(([name, info]) => strategies.get(info) ?? builtinStrategy(name));
}

function areas(): readonly ResourceStrategy[] {
  return [...configStrategies(), ...podStrategies(), ...workloadStrategies(), ...setStrategies(), ...jobStrategies()];
}
