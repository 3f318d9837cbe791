import type { ResourceStrategy } from "../resource.js";
import { BUILTIN_KINDS } from "./kinds.js";
import { builtinStrategy } from "./strategy.js";

/** The strategies of all built-in kinds, in the order of discovery. Cheap: schemas are resolved when they are asked for. */
export function builtinResources(): readonly ResourceStrategy[] {
  return [...BUILTIN_KINDS.keys()].map((name) => builtinStrategy(name));
}
