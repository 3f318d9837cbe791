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

/** More conflicts than these nobody reads, and telling tens of thousands would take longer than finding them. */
const MOST_CONFLICTS = 1000;

/** 409 with one cause per path, in the order of the message: by manager, then by path; of many paths, the first 1,000. */
export function conflictFailure(conflicts: readonly Conflict[]): StatusError {
  const told: Told[] = [];
  for (const { manager, path } of conflicts.slice(0, MOST_CONFLICTS)) {
    const last = told.at(-1);
    const who = last?.manager === manager ? last.who : describeManager(manager);
    told.push({ manager, who, field: formatPath(path) });
  }
  const causes = told.map(({ who, field }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${who}`,
    field,
  }));
  return new StatusError(failure(409, "Conflict", conflictMessage(told, conflicts.length), { causes }));
}

/** A conflict in words. */
interface Told {
  readonly manager: string;
  readonly who: string;
  readonly field: string;
}

function conflictMessage(told: readonly Told[], count: number): string {
  const [first] = told;
  if (first !== undefined && count === 1)
    return `Apply failed with 1 conflict: conflict with ${first.who}: ${first.field}`;
  const lines: string[] = [];
  for (const [i, { manager, who, field }] of told.entries()) {
    if (manager !== told[i - 1]?.manager) lines.push(`conflicts with ${who}:`);
    lines.push(`- ${field}`);
  }
  if (count > told.length) lines.push(`and ${count - told.length} more`);
  return `Apply failed with ${count} conflicts: ${lines.join("\n")}`;
}
