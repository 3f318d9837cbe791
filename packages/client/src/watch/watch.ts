import { bodyChunks, bodyText, FairleadError, type HttpRequest, onAbort, type Transport } from "@fairlead/base";
import { failure, StatusError, type KubernetesObject, type ResourceVersion } from "@fairlead/apimachinery";
import { isStatusObject, statusError } from "../request/response.js";
import { lines } from "./lines.js";

/** One event of a watch. A failure that the server sends within the stream is thrown instead. */
export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | {
      /** Nothing changed up to this version. */
      readonly type: "BOOKMARK";
      readonly resourceVersion: ResourceVersion;
      /** With `sendInitialEvents`: the objects that were there have all been sent. */
      readonly initialEventsEnd: boolean;
    };

/** A line of a watch that is no event. */
export class WatchDecodeError extends FairleadError {
  constructor(line: string, cause: unknown) {
    super("WatchDecode", `A watch sent a line that is no event: ${line.slice(0, 200)}`, { cause });
  }
}

/**
 * Opens one watch and decodes it. Ends when the server ends it; leaving the loop early closes the connection.
 *
 * @throws StatusError for an error status, or as sent in the stream (`Expired` when the version is too old).
 * @throws WatchDecodeError for a line that is no event.
 */
export async function* watchEvents<T extends KubernetesObject>(
  transport: Transport,
  request: HttpRequest,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>> {
  const closing = new AbortController();
  if (signal.aborted) throw signal.reason;
  const release = onAbort(signal, () => {
    closing.abort(signal.reason);
  });
  try {
    const response = await transport(request, closing.signal);
    if (response.status >= 400) throw statusError(response, await bodyText(response), `watch ${request.path}`);
    for await (const line of lines(bodyChunks(response))) yield decodeEvent<T>(line);
    if (signal.aborted) throw signal.reason;
  } finally {
    release();
    closing.abort(new WatchLeft());
  }
}

/** Why the connection of a watch is aborted when its reader has what it wants. */
class WatchLeft extends FairleadError {
  constructor() {
    super("WatchLeft", "The reader of the watch left it");
  }
}

/** The event on one line. */
export function decodeEvent<T extends KubernetesObject>(line: string): WatchEvent<T> {
  let event: { readonly type?: unknown; readonly object?: unknown };
  try {
    event = JSON.parse(line) as typeof event;
  } catch (cause) {
    throw new WatchDecodeError(line, cause);
  }
  switch (event.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return event as WatchEvent<T>;
    case "BOOKMARK":
      return bookmark(event.object as KubernetesObject);
    case "ERROR":
      if (isStatusObject(event.object)) throw new StatusError(event.object);
      throw new StatusError(failure(500, "InternalError", `The watch failed: ${line.slice(0, 500)}`));
    default:
      throw new WatchDecodeError(line, undefined);
  }
}

function bookmark(object: KubernetesObject): WatchEvent<never> {
  const { resourceVersion = "" as ResourceVersion, annotations = {} } = object.metadata;
  return { type: "BOOKMARK", resourceVersion, initialEventsEnd: annotations["k8s.io/initial-events-end"] === "true" };
}
