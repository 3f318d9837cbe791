import { stringifyJson, type HttpHeaders, type HttpResponse, type JsonValue } from "@fairlead/base";
import type { Status } from "@fairlead/apimachinery";

/** A JSON answer; every one ends with a newline, as the real server's do. */
export function jsonResponse(status: number, value: JsonValue | string, headers: HttpHeaders = {}): HttpResponse {
  const text = typeof value === "string" ? value : stringifyJson(value);
  return {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-cache, private", ...headers },
    body: `${text}\n`,
  };
}

export function textResponse(status: number, text: string): HttpResponse {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-cache, private" },
    body: text,
  };
}

export function statusResponse(status: Status): HttpResponse {
  const retry = status.details?.retryAfterSeconds;
  const headers = retry !== undefined && status.code === 429 ? { "retry-after": String(retry) } : {};
  return jsonResponse(status.code ?? 500, status as unknown as JsonValue, headers);
}
