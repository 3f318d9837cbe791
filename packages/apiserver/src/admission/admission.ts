import type { JsonObject } from "@fairlead/base";

import type { Endpoint } from "../registry/endpoint.js";
import type { RequestContext } from "../registry/request.js";
import type { Booking } from "./booking.js";

/** One write on its way to storage. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly endpoint: Endpoint;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string;
  /** The new object; undefined for DELETE. */
  readonly object: JsonObject | undefined;
  /** The stored object; undefined for CREATE. */
  readonly oldObject: JsonObject | undefined;
  readonly dryRun: boolean;
  readonly context: RequestContext;
}

/** What may change or refuse a write, named as kube-apiserver's plug-ins are. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Returns the object to go on with; never changes the one it is handed. @throws StatusError to refuse */
  readonly mutate?: (request: AdmissionRequest) => JsonObject | undefined | Promise<JsonObject | undefined>;
  /** @throws StatusError to refuse */
  readonly validate?: (request: AdmissionRequest) => void | Promise<void>;
  /** What else is written when this is, in the same turn; also asked, without effect, in a dry run. @throws StatusError to refuse */
  readonly book?: (request: AdmissionRequest) => readonly Booking[];
}

/** All plug-ins in order: every `mutate`, after validation of the object every `validate`, and last every `book`. */
export interface Admission {
  mutate(request: AdmissionRequest): JsonObject | Promise<JsonObject>;
  validate(request: AdmissionRequest): void | Promise<void>;
  book(request: AdmissionRequest): readonly Booking[];
}

/** A chain that waits only for plug-ins that do. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): Admission {
  const booking = plugins.flatMap(({ book }) => book ?? []);
  return {
    mutate: (request) => mutateFrom(plugins, 0, request),
    validate: (request) => validateFrom(plugins, 0, request),
    book: (request) => booking.flatMap((book) => book(request)),
  };
}

function mutateFrom(
  plugins: readonly AdmissionPlugin[],
  from: number,
  request: AdmissionRequest,
): JsonObject | Promise<JsonObject> {
  let current = request;
  for (let i = from; i < plugins.length; i++) {
    const result = plugins[i]?.mutate?.(current);
    if (result instanceof Promise) {
      const at = current;
      return result.then((object) => mutateFrom(plugins, i + 1, object === undefined ? at : { ...at, object }));
    }
    if (result !== undefined) current = { ...current, object: result };
  }
  return current.object ?? {};
}

function validateFrom(
  plugins: readonly AdmissionPlugin[],
  from: number,
  request: AdmissionRequest,
): void | Promise<void> {
  for (let i = from; i < plugins.length; i++) {
    const result = plugins[i]?.validate?.(request);
    if (result instanceof Promise) return result.then(() => validateFrom(plugins, i + 1, request));
  }
}
