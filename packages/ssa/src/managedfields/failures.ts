import { FairleadError } from "@fairlead/base";
import { failure, StatusError, type GroupVersionKind } from "@fairlead/apimachinery";
import type { JsonObject } from "@fairlead/base";

import { formatPath } from "../fieldpath/path.js";
import type { Conflict } from "../merge/conflicts.js";
import { describeManager } from "./identity.js";
import { metadataText } from "./metadata.js";

/** 400. */
export function badRequest(message: string): StatusError {
  return new StatusError(failure(400, "BadRequest", message));
}

/** What goes wrong inside the field manager is answered 500, without a reason, with the bare message. */
export function internalFailure(message: string, cause: unknown): StatusError {
  return new StatusError(failure(500, "", message), { cause });
}

/** Runs a step whose errors are ours to phrase; StatusErrors pass, and so do defects. */
export function explained<T>(prefix: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (
      error instanceof StatusError ||
      !(error instanceof FairleadError) ||
      error.code === "Invariant" ||
      error.code === "FieldConflict"
    )
      throw error;
    throw internalFailure(`${prefix}: ${error.message}`, error);
  }
}

/** `group/version, Kind=Kind` with the slash even for the core group, as Go prints a GroupVersionKind. */
export function goGvk(gvk: GroupVersionKind): string {
  return `${gvk.group}/${gvk.version}, Kind=${gvk.kind}`;
}

/** `namespace/name; group/version, Kind=Kind` as the object itself has them. */
export function describeObject(object: JsonObject, gvk: GroupVersionKind): string {
  return `${metadataText(object, "namespace")}/${metadataText(object, "name")}; ${goGvk(gvk)}`;
}

/** 409 with one cause per path, in the order of the message: by manager, then by path. */
export function conflictFailure(conflicts: readonly Conflict[]): StatusError {
  const told = conflicts.map(({ manager, path }) => ({ manager, field: formatPath(path) }));
  const causes = told.map(({ manager, field }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${describeManager(manager)}`,
    field,
  }));
  return new StatusError(failure(409, "Conflict", conflictMessage(told), { causes }));
}

function conflictMessage(conflicts: readonly { readonly manager: string; readonly field: string }[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${describeManager(first.manager)}: ${first.field}`;
  const lines: string[] = [];
  for (const [i, { manager, field }] of conflicts.entries()) {
    if (manager !== conflicts[i - 1]?.manager) lines.push(`conflicts with ${describeManager(manager)}:`);
    lines.push(`- ${field}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}
