// URIs and mail addresses as Go's standard library reads them (net/url: ParseRequestURI; net/mail: ParseAddress).
import { parseIp } from "../validation/ip.js";

/** Whether a text is an absolute URI or an absolute path. */
export function isRequestUri(text: string): boolean {
  if (text === "*") return true;
  if (text === "" || /[\u0000-\u001f\u007f]/.test(text) || text.startsWith(":")) return false;
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(text)?.[0];
  const rest = (scheme === undefined ? text : text.slice(scheme.length + 1)).split("?")[0] ?? "";
  if (!rest.startsWith("/")) return scheme !== undefined;
  if (scheme === undefined || !rest.startsWith("//")) return isEscaped(rest);
  const slash = rest.indexOf("/", 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return isAuthority(authority, scheme) && (slash < 0 || isEscaped(rest.slice(slash)));
}

/** Whether each `%` is followed by two hexadecimal digits. */
function isEscaped(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

function isAuthority(text: string, scheme: string): boolean {
  const split = text.lastIndexOf("@");
  const user = text.slice(0, Math.max(split, 0));
  return /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) && isEscaped(user) && isHost(text.slice(split + 1), scheme);
}

function isHost(text: string, scheme: string): boolean {
  const open = text.lastIndexOf("[");
  if (open >= 0) {
    const match = /^\[([^\]%]*)(?:%25([^\]]+))?\](?::\d*)?$/.exec(text);
    return match !== null && (match[1] ?? "").includes(":") && parseIp(match[1] ?? "") !== undefined;
  }
  const colon = text.lastIndexOf(":");
  if (colon >= 0 && !/^\d*$/.test(text.slice(colon + 1))) return false;
  // More colons than that of the port are tolerated but where they are known to be wrong.
  if (text.indexOf(":") !== colon && /^https?$/i.test(scheme)) return false;
  // Only bytes beyond ASCII may be escaped in a host.
  return /^(?:[A-Za-z0-9\-_.~!$&'()*+,:;=\]<>"]|[^\u0000-\u007f]|%[89a-fA-F][0-9a-fA-F])*$/.test(text);
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
