import { FairleadError } from "@fairlead/base";

/** One entry of `details.causes` (meta/v1 StatusCause). */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** meta/v1 StatusDetails. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** Kubernetes' machine-readable reasons (apimachinery: pkg/apis/meta/v1/types.go). */
export type StatusReason =
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Invalid"
  | "ServerTimeout"
  | "Timeout"
  | "TooManyRequests"
  | "BadRequest"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "InternalError"
  | "Expired"
  | "ServiceUnavailable"
  | "";

/** A failed call as the API answers it (meta/v1 Status with `status: "Failure"`). */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: "Failure" | "Success";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** An API failure. Match with `isStatus(error, "Conflict")`. */
export class StatusError extends FairleadError {
  readonly status: Status;

  constructor(status: Status, options: { readonly cause?: unknown } = {}) {
    super(
      status.reason === undefined || status.reason === "" ? "Status" : status.reason,
      status.message ?? "unknown failure",
      options,
    );
    this.status = status;
  }

  /** Kubernetes' reason; `""` where the server gave none. */
  get reason(): string {
    return this.status.reason ?? "";
  }

  /** The HTTP status code. */
  get httpStatus(): number {
    return this.status.code ?? 500;
  }
}

/** Whether an error is an API failure, and of this reason when one is given. */
export function isStatus(error: unknown, reason?: StatusReason): error is StatusError {
  return error instanceof StatusError && (reason === undefined || error.reason === reason);
}

/** A Status of a failure. Members that are undefined are left out. */
export function failure(code: number, reason: StatusReason, message: string, details?: StatusDetails): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}
