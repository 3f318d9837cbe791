import { systemClock } from "@fairlead/base/node";
import { Pool } from "undici";

import type { Address } from "./child.js";

export interface LoadRequest {
  readonly method: "GET" | "PATCH";
  readonly path: string;
  readonly body?: string;
}

/** Requests to one server over TLS, with so many always in flight. */
export class Load {
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #inFlight: number;

  constructor({ url, authority, token }: Address, inFlight: number) {
    this.#pool = new Pool(url, { connections: inFlight, pipelining: 1, connect: { ca: authority } });
    this.#headers = {
      "content-type": "application/apply-patch+yaml",
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    };
    this.#inFlight = inFlight;
  }

  /** Sends them all. @returns how many per second */
  async run(requests: readonly LoadRequest[]): Promise<number> {
    const began = systemClock.monotonic();
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let request; (request = requests[next++]) !== undefined;) await this.send(request);
    };
    await Promise.all(Array.from({ length: this.#inFlight }, worker));
    return (requests.length * 1000) / (systemClock.monotonic() - began);
  }

  /** @returns the answer's body. @throws Error for any that is not a success */
  async send({ method, path, body }: LoadRequest): Promise<string> {
    const answer = await this.#pool.request({
      method,
      path,
      headers: this.#headers,
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${text}`);
    return text;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
