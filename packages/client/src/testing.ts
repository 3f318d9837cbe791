import { bodyText, type HttpRequest, type HttpResponse, type Transport } from "@fairlead/base";

/** One answer of a script: data, or what to do with the request. */
export type Answer =
  HttpResponse | Error | ((request: HttpRequest, signal: AbortSignal) => HttpResponse | Promise<HttpResponse>);

/** A transport that answers from a script, and remembers what it was asked. */
export interface ScriptedTransport {
  readonly transport: Transport;
  /** The requests so far, in order. */
  readonly requests: readonly HttpRequest[];
  /** Adds answers to the end of the script. */
  then(...answers: readonly Answer[]): void;
}

/** Answers request after request from the script, and fails with what was asked when the script is at its end. */
export function scriptedTransport(...answers: readonly Answer[]): ScriptedTransport {
  const script: Answer[] = [...answers];
  const requests: HttpRequest[] = [];
  return {
    requests,
    then: (...more) => void script.push(...more),
    transport: async (request, signal) => {
      requests.push(request);
      const answer = script.shift();
      if (answer === undefined) throw new Error(`The script has no answer to ${request.method} ${request.path}`);
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer(request, signal) : answer;
    },
  };
}

/** A JSON answer; 200 by default. */
export function jsonResponse(body: unknown, status = 200, headers: HttpResponse["headers"] = {}): HttpResponse {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

/** An answer with a Status. */
export function statusResponse(
  code: number,
  reason: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): HttpResponse {
  return jsonResponse(
    { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, details, code },
    code,
  );
}

/** The answer to a watch: these events, one a line, cut into chunks of `chunkLength` UTF-16 units, then the end. */
export function watchResponse(
  events: readonly unknown[],
  chunkLength: number = Number.POSITIVE_INFINITY,
): HttpResponse {
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  async function* chunks(): AsyncGenerator<string> {
    for (let at = 0; at < text.length; at += chunkLength) yield await Promise.resolve(text.slice(at, at + chunkLength));
  }
  return { status: 200, headers: { "content-type": "application/json" }, body: chunks() };
}

/** The decoded JSON body of a request; undefined when it has none. */
export async function requestBody(request: HttpRequest): Promise<unknown> {
  if (request.body === undefined) return undefined;
  const text = await bodyText({ status: 0, headers: {}, body: request.body });
  return text === "" ? undefined : (JSON.parse(text) as unknown);
}
