// URLs (apiserver: pkg/cel/library/urls.go; Go: net/url).
import { decodeUtf8, encodeUtf8 } from "@fairlead/base";
import { GoUrlError, parseGoUrl, requestUriProblem, type GoUrl } from "../../schema/go-address.js";
import { declare, global, member, type Library } from "../check/declarations.js";
import { BOOL, listOf, mapOf, STRING, structType } from "../check/types.js";
import { ValueList } from "../value/list.js";
import { ValueMap } from "../value/map.js";
import { CelError, type Opaque, type Result } from "../value/value.js";

const URL_NAME = "kubernetes.URL";
const URL_TYPE = structType(URL_NAME);

class UrlValue implements Opaque {
  readonly celType = URL_NAME;
  readonly text: string;
  readonly url: GoUrl;

  constructor(text: string, url: GoUrl) {
    this.text = text;
    this.url = url;
  }

  equals(other: Opaque): boolean {
    return other instanceof UrlValue && this.text === other.text;
  }
}

function parse(text: string): Result {
  const refused = (problem: string): CelError =>
    new CelError(`URL parse error during conversion from string: ${problem}`);
  const problem = requestUriProblem(text);
  if (problem !== undefined) return refused(problem);
  try {
    return new UrlValue(text, parseGoUrl(text));
  } catch (error) {
    if (error instanceof GoUrlError) return refused(error.message);
    throw error;
  }
}

function hostAndPort(host: string): readonly [host: string, port: string] {
  const match = /^(.*?)(?::(\d*))?$/s.exec(host);
  const closed = host.startsWith("[") ? /^\[(.*)\](?::(\d*))?$/s.exec(host) : null;
  const found = closed ?? match;
  return [found?.[1] ?? host, found?.[2] ?? ""];
}

/** The path as it is written, if all of it may stand in a path, else with what may not escaped. */
function escapedPath(path: string): string {
  if (/^[A-Za-z0-9\-_.~!'()*$&+,/:;=@[\]%]*$/.test(path)) return path;
  const bytes = encodeUtf8(decode(path) ?? path);
  return [...bytes]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

/** Go's QueryUnescape; undefined for broken escapes. */
function decode(text: string): string | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  const bytes: number[] = [];
  for (const [piece] of text.matchAll(/%[0-9a-fA-F]{2}|[^%]+/g)) {
    if (piece.startsWith("%")) bytes.push(parseInt(piece.slice(1), 16));
    else bytes.push(...encodeUtf8(piece));
  }
  return decodeUtf8(Uint8Array.from(bytes));
}

/** Pairs that are broken are left out. */
function queryOf(query: string): Result {
  const found = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const at = pair.indexOf("=");
    const [key, value] = [at < 0 ? pair : pair.slice(0, at), at < 0 ? "" : pair.slice(at + 1)].map((part) =>
      decode(part.replaceAll("+", " ")),
    );
    if (key === undefined || value === undefined) continue;
    const values = found.get(key);
    if (values === undefined) found.set(key, [value]);
    else values.push(value);
  }
  return ValueMap.of([...found].map(([key, values]) => [key, new ValueList(values)]));
}

const U = URL_TYPE;

export const URLS_LIBRARY: Library = [
  declare("url", global("string_to_url", [STRING], U, parse)),
  declare(
    "getScheme",
    member("url_get_scheme", [U], STRING, ({ url }: UrlValue) => url.scheme),
  ),
  declare(
    "getHost",
    member("url_get_host", [U], STRING, ({ url }: UrlValue) => url.host),
  ),
  declare(
    "getHostname",
    member("url_get_hostname", [U], STRING, ({ url }: UrlValue) => hostAndPort(url.host)[0]),
  ),
  declare(
    "getPort",
    member("url_get_port", [U], STRING, ({ url }: UrlValue) => hostAndPort(url.host)[1]),
  ),
  declare(
    "getEscapedPath",
    member("url_get_escaped_path", [U], STRING, ({ url }: UrlValue) => escapedPath(url.path)),
  ),
  declare(
    "getQuery",
    member("url_get_query", [U], mapOf(STRING, listOf(STRING)), ({ url }: UrlValue) => queryOf(url.query)),
  ),
  declare(
    "isURL",
    global("is_url_string", [STRING], BOOL, (text: string) => requestUriProblem(text) === undefined),
  ),
];
