import { fieldManager as checked, type FieldManager } from "../api/field-manager.js";

/**
 * How a forced apply is sent. Only an apply takes it: a merge has no `force` (the server refuses it), so the two cannot
 * be confused.
 */
export interface ApplyParams {
  readonly verb: "apply";
  readonly fieldManager: FieldManager;
  /** The manager takes back every path it sends from whoever owns it. */
  readonly force: true;
  readonly dryRun: false;
  readonly fieldValidation?: undefined;
}

/** The same for an apply that is refused when another manager owns one of its paths with another value. */
export interface UnforcedApplyParams extends Omit<ApplyParams, "force"> {
  readonly force: false;
}

/**
 * The parameters of the second patch posture: server-side apply as the owner of what is sent.
 *
 * @throws FieldManagerError for a name that the server would refuse; otherwise it is passed on byte for byte.
 */
export function applyPatchParams(fieldManager: string): ApplyParams {
  return Object.freeze({ verb: "apply", fieldManager: checked(fieldManager), force: true, dryRun: false });
}

/** Like `applyPatchParams`, for an apply that reports conflicts. */
export function unforcedApplyParams(fieldManager: string): UnforcedApplyParams {
  return Object.freeze({ verb: "apply", fieldManager: checked(fieldManager), force: false, dryRun: false });
}
