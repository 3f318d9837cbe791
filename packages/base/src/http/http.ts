/**
 * HTTP as plain data. Embedded or real, an API server is a Transport; the client, the fault injector, the recorder and
 * the tests all speak through this one seam.
 */

/** Header names are lower case. Repeated headers are an array, in order. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface HttpRequest {
  /** Upper case: `GET`, `POST`, `PUT`, `PATCH`, `DELETE`, … */
  readonly method: string;
  /** Path and query as on the wire, e.g. `/api/v1/pods?limit=500`; starts with `/`. */
  readonly path: string;
  readonly headers: HttpHeaders;
  readonly body?: Uint8Array | string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** A whole body, or chunks as they arrive. A stream must be read to its end or left by aborting the request's signal. */
  readonly body: Uint8Array | string | AsyncIterable<Uint8Array | string>;
}

/**
 * Sends one request.
 *
 * Resolves when status and headers are known. Aborting `signal` ends the exchange, streams included, with
 * `signal.reason`. Rejects only when there is no answer; an HTTP error status is an answer.
 */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** The first value of a header, by lower-case name. */
export function header(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** A byte order mark stays: JSON has none, and YAML sees for itself. */
const KEEPING_MARKS = { ignoreBOM: true };
const utf8 = new TextDecoder("utf-8", KEEPING_MARKS);

/** The whole body as text. */
export async function bodyText(response: HttpResponse): Promise<string> {
  const { body } = response;
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return utf8.decode(body);
  const decoder = new TextDecoder("utf-8", KEEPING_MARKS);
  let text = "";
  for await (const chunk of body) text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** The body as a stream of chunks, whatever form it has. */
export async function* bodyChunks(response: HttpResponse): AsyncGenerator<Uint8Array | string> {
  const { body } = response;
  if (typeof body === "string" || body instanceof Uint8Array) yield body;
  else yield* body;
}
