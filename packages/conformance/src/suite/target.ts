import type { Clock } from "@fairlead/base";

import type { Answer } from "./digest.js";
import type { RecordedRequest } from "./recordings.js";

/** A server under test: the embedded one, or a real cluster. */
export interface Target {
  readonly clock: Clock;
  /** Sends a request whose symbols are replaced; the body is the text to send. */
  send(request: Omit<RecordedRequest, "body"> & { readonly body?: string }, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}
