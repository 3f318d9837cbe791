import { bodyText, FairleadError, header, type HttpResponse } from "@fairlead/base";
import { failure, StatusError, type Status, type StatusReason } from "@fairlead/apimachinery";

/** An answer that is not what the API promises: not JSON, or a success without an object. */
export class ResponseError extends FairleadError {
  readonly httpStatus: number;

  constructor(message: string, httpStatus: number, options: { readonly cause?: unknown } = {}) {
    super("Response", message, options);
    this.httpStatus = httpStatus;
  }
}

/**
 * The JSON of a successful answer.
 *
 * @param what - For messages: `get Pod default/web-0`.
 * @throws StatusError for an HTTP error status, made up from it when the body is no Status.
 * @throws ResponseError for a success whose body is no JSON.
 */
export async function readJson(response: HttpResponse, what: string): Promise<unknown> {
  const text = await bodyText(response);
  if (response.status >= 400) throw statusError(response, text, what);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ResponseError(
      `${what}: the server answered ${response.status} with a body that is no JSON`,
      response.status,
      { cause },
    );
  }
}

/** The StatusError of an answer with an error status. */
export function statusError(response: HttpResponse, text: string, what: string): StatusError {
  const parsed = parseStatus(text);
  if (parsed !== undefined) return new StatusError({ code: response.status, ...parsed });
  const message = `${what}: HTTP ${response.status}${text.trim() === "" ? "" : ` ${text.trim().slice(0, 500)}`}`;
  const seconds = Number(header(response.headers, "retry-after"));
  return new StatusError(
    failure(
      response.status,
      REASON.get(response.status) ?? (response.status >= 500 ? "InternalError" : ""),
      message,
      Number.isInteger(seconds) && seconds > 0 ? { retryAfterSeconds: seconds } : undefined,
    ),
  );
}

/** The Status in a body; undefined when it is none. */
export function parseStatus(text: string): Status | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isStatusObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a decoded value is a meta/v1 Status. */
export function isStatusObject(value: unknown): value is Status {
  return typeof value === "object" && value !== null && (value as { readonly kind?: unknown }).kind === "Status";
}

const REASON: ReadonlyMap<number, StatusReason> = new Map([
  [400, "BadRequest"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [405, "MethodNotAllowed"],
  [406, "NotAcceptable"],
  [409, "Conflict"],
  [410, "Gone"],
  [413, "RequestEntityTooLarge"],
  [415, "UnsupportedMediaType"],
  [422, "Invalid"],
  [429, "TooManyRequests"],
  [500, "InternalError"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
]);
