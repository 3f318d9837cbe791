import {
  failure,
  fieldErrorBody,
  formatFieldError,
  formatGroupKind,
  formatGroupResource,
  StatusError,
  type FieldError,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
} from "@fairlead/apimachinery";

/**
 * The API's failures with the messages that clients know (apimachinery: pkg/api/errors/errors.go; the message formats
 * are recorded from a real server). Each returns a StatusError for the caller to throw.
 */
interface Resource {
  readonly group: string;
  readonly resource: string;
}

interface Kind {
  readonly group: string;
  readonly kind: string;
}

const details = ({ group, resource }: Resource, name: string, more: object = {}): object => ({
  ...(name === "" ? {} : { name }),
  ...(group === "" ? {} : { group }),
  kind: resource,
  ...more,
});

export function badRequest(message: string): StatusError {
  return new StatusError(failure(400, "BadRequest", message));
}

export function unauthorized(): StatusError {
  return new StatusError(failure(401, "Unauthorized", "Unauthorized"));
}

export function forbidden(resource: Resource, name: string, why: string, causes?: readonly StatusCause[]): StatusError {
  const subject =
    name === "" ? `${formatGroupResource(resource)} is` : `${formatGroupResource(resource)} ${JSON.stringify(name)} is`;
  return new StatusError(
    failure(
      403,
      "Forbidden",
      `${subject} forbidden: ${why}`,
      details(resource, name, causes === undefined ? {} : { causes }),
    ),
  );
}

/** A refused request for a path that is no resource. */
export function forbiddenPath(message: string): StatusError {
  return new StatusError(failure(403, "Forbidden", `forbidden: ${message}`, {}));
}

export function notFound(resource: Resource, name: string): StatusError {
  return new StatusError(
    failure(
      404,
      "NotFound",
      `${formatGroupResource(resource)} ${JSON.stringify(name)} not found`,
      details(resource, name),
    ),
  );
}

/** A path inside a built-in group that is not served. */
export function notServed(): StatusError {
  return new StatusError(failure(404, "NotFound", "the server could not find the requested resource", {}));
}

export function methodNotAllowed(): StatusError {
  return new StatusError(
    failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {}),
  );
}

export function methodNotSupported(resource: Resource, action: string): StatusError {
  return new StatusError(
    failure(
      405,
      "MethodNotAllowed",
      `${action} is not supported on resources of kind ${JSON.stringify(formatGroupResource(resource))}`,
      {
        ...(resource.group === "" ? {} : { group: resource.group }),
        kind: resource.resource,
      },
    ),
  );
}

export function alreadyExists(resource: Resource, name: string, deleting: boolean): StatusError {
  const message = `${formatGroupResource(resource)} ${JSON.stringify(name)} already exists`;
  return new StatusError(
    failure(409, "AlreadyExists", deleting ? `object is being deleted: ${message}` : message, details(resource, name)),
  );
}

export function conflict(resource: Resource, name: string, why: string): StatusError {
  return new StatusError(
    failure(
      409,
      "Conflict",
      `Operation cannot be fulfilled on ${formatGroupResource(resource)} ${JSON.stringify(name)}: ${why}`,
      details(resource, name),
    ),
  );
}

/** The answer to a write with a stale resourceVersion. */
export function modified(resource: Resource, name: string): StatusError {
  return conflict(
    resource,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

/** A failed precondition of a deletion names the Kind, not the resource. */
export function deletePrecondition({ group, kind }: Kind, name: string, why: string): StatusError {
  return new StatusError(
    failure(
      409,
      "Conflict",
      `Operation cannot be fulfilled on ${formatGroupKind({ group, kind })} ${JSON.stringify(name)}: ${why}`,
      {
        name,
        ...(group === "" ? {} : { group }),
        kind,
      },
    ),
  );
}

/** More field errors than these nobody reads, and telling tens of thousands would take longer than finding them. */
const MOST_FIELD_ERRORS = 1000;

export function invalid(kind: Kind, name: string, found: readonly FieldError[]): StatusError {
  const errors = found.slice(0, MOST_FIELD_ERRORS);
  if (found.length > errors.length) {
    const detail = `${found.length - errors.length} more errors are not shown`;
    errors.push({ type: "FieldValueTooMany", field: "<nil>", detail });
  }
  const messages = [...new Set(errors.map(formatFieldError))];
  const list = messages.length === 1 ? messages[0] : `[${messages.join(", ")}]`;
  const causes = errors.map((e) => ({ reason: e.type, message: fieldErrorBody(e), field: e.field }));
  return new StatusError(
    failure(422, "Invalid", `${formatGroupKind(kind)} ${JSON.stringify(name)} is invalid: ${list ?? ""}`, {
      ...(name === "" ? {} : { name }),
      ...(kind.group === "" ? {} : { group: kind.group }),
      ...(kind.kind === "" ? {} : { kind: kind.kind }),
      causes,
    }),
  );
}

/** 422 of request options: `ListOptions.meta.k8s.io "" is invalid`. */
export function invalidOptions(kind: string, errors: readonly FieldError[]): StatusError {
  return invalid({ group: "meta.k8s.io", kind }, "", errors);
}

/** 422 that hides its cause, as a JSON patch that does not apply. */
export function unprocessable(): StatusError {
  return new StatusError(failure(422, "Invalid", "the server rejected our request due to an error in our request", {}));
}

export function unsupportedMediaType(message: string, more?: StatusDetails): StatusError {
  return new StatusError(failure(415, "UnsupportedMediaType", message, more));
}

export function notAcceptable(accepted: readonly string[]): StatusError {
  return new StatusError(
    failure(406, "NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`),
  );
}

/** 406 of metadata asked for as of a list where there is an object, or the other way round. */
export function notAcceptableForm(message: string): StatusError {
  return new StatusError(failure(406, "NotAcceptable", message));
}

export function tooLarge(message: string): StatusError {
  return new StatusError(failure(413, "RequestEntityTooLarge", message, {}));
}

export function expired(message: string): StatusError {
  return new StatusError(failure(410, "Expired", message));
}

/** A revision that this server has not reached. */
export function revisionTooLarge(asked: number, current: number): StatusError {
  return new StatusError(
    failure(504, "Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    }),
  );
}

/** A plain error of the server's own: 500, no reason, no details. */
export function serverError(message: string, reason: StatusReason = ""): StatusError {
  return new StatusError(failure(500, reason, message));
}

export function internalError(message: string): StatusError {
  return new StatusError(
    failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] }),
  );
}

export function tooManyRequests(
  message: string,
  causes?: readonly StatusCause[],
  retryAfterSeconds?: number,
): StatusError {
  return new StatusError(
    failure(429, "TooManyRequests", message, {
      ...(causes === undefined ? {} : { causes }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    }),
  );
}
