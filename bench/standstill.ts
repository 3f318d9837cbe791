import type { ApiServer } from "@fairlead/apiserver";
import { bodyText, never } from "@fairlead/base";
import { systemClock } from "@fairlead/base/node";

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly body?: string;
}

export interface Standstill {
  /** The longest time between two turns of the event loop. */
  readonly longestMs: number;
  readonly status: number;
  readonly text: string;
}

/** How long the event loop stands still at most while a request is answered. */
export async function standstill(
  server: ApiServer,
  { method, path, contentType, accept, body }: Sent,
): Promise<Standstill> {
  let longestMs = 0;
  let done = false;
  let last = systemClock.monotonic();
  const watch = async (): Promise<void> => {
    while (!done) {
      await systemClock.turn();
      const now = systemClock.monotonic();
      longestMs = Math.max(longestMs, now - last);
      last = now;
    }
  };
  const watching = watch();
  await systemClock.turn();
  const response = await server.transport()(
    {
      method,
      path,
      headers: { accept: accept ?? "application/json", "content-type": contentType ?? "application/json" },
      ...(body === undefined ? {} : { body }),
    },
    never,
  );
  const text = await bodyText(response);
  await systemClock.turn();
  done = true;
  await watching;
  return { longestMs, status: response.status, text };
}
