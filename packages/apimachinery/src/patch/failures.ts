import { failure, StatusError } from "../status/status.js";

/** 400. */
export function badPatch(message: string): StatusError {
  return new StatusError(failure(400, "BadRequest", message));
}

/** 422 without detail: the patch is well-formed but cannot be applied to this object. */
export function unprocessablePatch(cause: string): StatusError {
  const message = "the server rejected our request due to an error in our request";
  return new StatusError(failure(422, "Invalid", message, {}), { cause: new Error(cause) });
}

/** 413. */
export function patchTooLarge(message: string): StatusError {
  return new StatusError(failure(413, "RequestEntityTooLarge", `Request entity too large: ${message}`));
}

/** 500 with a bare message and no reason, as Kubernetes answers mistakes in strategic merge patches. */
export function patchFailed(message: string): StatusError {
  return new StatusError(failure(500, "", message));
}
