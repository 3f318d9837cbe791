// URIs and mail addresses as Go's standard library reads them (net/url: Parse, ParseRequestURI; net/mail: ParseAddress).
import { FairleadError } from "@fairlead/base";
import { goQuote } from "../validation/go-quote.js";
import { parseIp } from "../validation/ip.js";

/** The parts of a URL that rules ask for. */
export interface GoUrl {
  readonly scheme: string;
  /** Absent without `@`. */
  readonly user?: string;
  readonly host: string;
  /** As it is written. Empty for what has no slashes, as mail addresses have none. */
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/** A text that Go does not take for a URL. The message is Go's. */
export class GoUrlError extends FairleadError {
  constructor(text: string, problem: string) {
    super("BadUrl", `parse ${goQuote(text)}: ${problem}`);
  }
}

/**
 * Go's url.Parse.
 *
 * @throws GoUrlError
 */
export function parseGoUrl(text: string): GoUrl {
  const hash = text.indexOf("#");
  const front = hash < 0 ? text : text.slice(0, hash);
  const fragment = hash < 0 ? "" : text.slice(hash + 1);
  const read = readUrl(front, false);
  if (typeof read === "string") throw new GoUrlError(front, read);
  const problem = escapeProblem(fragment);
  if (problem !== undefined) throw new GoUrlError(text, problem);
  return { ...read, fragment };
}

/** Whether a text is an absolute URI or an absolute path (Go's url.ParseRequestURI). */
export function isRequestUri(text: string): boolean {
  return typeof readUrl(text, true) !== "string";
}

/** What Go's url.ParseRequestURI says of a text that it refuses; undefined for one that it takes. */
export function requestUriProblem(text: string): string | undefined {
  const read = readUrl(text, true);
  return typeof read === "string" ? `parse ${goQuote(text)}: ${read}` : undefined;
}

/** The URL, or what is wrong with it. */
function readUrl(text: string, forRequest: boolean): Omit<GoUrl, "fragment"> | string {
  if (/[\u0000-\u001f\u007f]/.test(text)) return "net/url: invalid control character in URL";
  if (text === "" && forRequest) return "empty url";
  const nothing = { scheme: "", host: "", path: "", query: "" };
  if (text === "*") return { ...nothing, path: "*" };
  if (text.startsWith(":")) return "missing protocol scheme";
  const scheme = (/^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(text)?.[0] ?? "").toLowerCase();
  const [rest = "", query = ""] = splitOnce(scheme === "" ? text : text.slice(scheme.length + 1), "?");
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...nothing, scheme, query };
    if (forRequest) return "invalid URI for request";
    if ((rest.split("/")[0] ?? "").includes(":")) return "first path segment in URL cannot contain colon";
  }
  const hasAuthority = rest.startsWith("//") && (scheme !== "" || (!forRequest && !rest.startsWith("///")));
  if (!hasAuthority) return escapeProblem(rest) ?? { ...nothing, scheme, path: rest, query };
  const slash = rest.indexOf("/", 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  const problem =
    hostProblem(host, scheme) ??
    (at < 0 ? undefined : userProblem(authority.slice(0, at))) ??
    (slash < 0 ? undefined : escapeProblem(rest.slice(slash)));
  return (
    problem ?? {
      scheme,
      ...(at < 0 ? {} : { user: authority.slice(0, at) }),
      host,
      path: slash < 0 ? "" : rest.slice(slash),
      query,
    }
  );
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Each `%` is followed by two hexadecimal digits. */
function escapeProblem(text: string): string | undefined {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(text)?.[0];
  return bad === undefined ? undefined : `invalid URL escape ${goQuote(bad)}`;
}

function userProblem(user: string): string | undefined {
  return /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) ? escapeProblem(user) : "net/url: invalid userinfo";
}

function hostProblem(text: string, scheme: string): string | undefined {
  const open = text.lastIndexOf("[");
  if (open > 0) return "invalid IP-literal";
  if (open === 0) return literalProblem(text);
  const colon = text.indexOf(":");
  const last = text.lastIndexOf(":");
  // More colons than that of the port are tolerated but where they are known to be wrong.
  const port = text.slice(scheme === "http" || scheme === "https" ? colon : last);
  if (colon >= 0 && !/^:\d*$/.test(port)) return `invalid port ${goQuote(port)} after host`;
  return hostEscapeProblem(text);
}

function literalProblem(text: string): string | undefined {
  const close = text.lastIndexOf("]");
  if (close < 0) return "missing ']' in host";
  const port = text.slice(close + 1);
  if (!/^(?::\d*)?$/.test(port)) return `invalid port ${goQuote(port)} after host`;
  const [address = "", zone] = splitOnce(text.slice(1, close), "%25");
  const problem = hostEscapeProblem(address) ?? (zone === undefined ? undefined : escapeProblem(zone));
  if (problem !== undefined) return problem;
  const ip = parseIp(address);
  if (ip === undefined) return `invalid host: ParseAddr(${goQuote(address)}): unable to parse IP`;
  return address.includes(":") ? undefined : "invalid IP-literal";
}

/** In hosts only bytes beyond ASCII may be escaped. */
function hostEscapeProblem(text: string): string | undefined {
  const bad = /%(?![89a-fA-F][0-9a-fA-F]|25).{0,2}|[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/su.exec(
    text,
  )?.[0];
  if (bad === undefined) return undefined;
  return bad.startsWith("%") ? `invalid URL escape ${goQuote(bad)}` : `invalid character ${goQuote(bad)} in host name`;
}

const ATOM = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~\\u0080-\\u{10ffff}]+";
const DOTTED = `${ATOM}(?:\\.${ATOM})*`;
const QUOTED = '"(?:[^"\\\\\\u0000-\\u0008\\u000a-\\u001f\\u007f]|\\\\[^\\u0000-\\u0008\\u000a-\\u001f\\u007f])*"';
const ADDRESS = `(?:${DOTTED}|${QUOTED})@(?:${DOTTED}|\\[(?<ip>[^\\[\\]\\\\]*)\\])`;

/** A word of a name, where dots are tolerated. */
const WORD = new RegExp(`[ \\t]*(?:${ATOM.replace("A-Z", ".A-Z")}|${QUOTED})`, "uy");
const BARE = new RegExp(`^[ \\t]*${ADDRESS}[ \\t]*$`, "u");
const ANGLED = new RegExp(`^[ \\t]*<[ \\t]*${ADDRESS}>[ \\t]*$`, "u");

/** Whether a text is one mail address, with or without a name before it. */
export function isEmailAddress(text: string): boolean {
  const match = BARE.exec(text) ?? ANGLED.exec(text.slice(nameLength(text)));
  const ip = match?.groups?.["ip"];
  return match !== null && !text.includes('""@') && (ip === undefined || parseIp(ip) !== undefined);
}

function nameLength(text: string): number {
  let length = 0;
  for (;;) {
    WORD.lastIndex = length;
    const word = WORD.exec(text)?.[0];
    if (word === undefined) return length;
    length += word.length;
  }
}
