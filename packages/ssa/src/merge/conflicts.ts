import { FairleadError } from "@fairlead/base";

import { pathsOf, type FieldSet } from "../fieldpath/field-set.js";
import type { FieldPath } from "../fieldpath/path.js";

/** One path that an apply would take from another manager. */
export interface Conflict {
  readonly manager: string;
  readonly path: FieldPath;
}

/** An apply that would change what others own, and is not forced. */
export class ConflictError extends FairleadError {
  /** Sorted by manager, then in the order of the paths of a set. */
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super("FieldConflict", `${conflicts.length} fields are owned by other managers; force the apply to take them`);
    this.conflicts = conflicts;
  }
}

/** The conflicts of these sets. */
export function conflictsOf(sets: ReadonlyMap<string, FieldSet>): readonly Conflict[] {
  return [...sets.keys()]
    .sort()
    .flatMap((manager) => pathsOf(sets.get(manager) as FieldSet).map((path) => ({ manager, path })));
}
