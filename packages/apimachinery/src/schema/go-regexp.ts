/**
 * A JavaScript expression for one of Go's (RE2): flags at the start, `\A`, `\z`, `(?P<name>…)` and POSIX classes are
 * translated. JavaScript backtracks where RE2 does not, so bound the texts that it is run on.
 *
 * @returns undefined for an expression that cannot be compiled.
 */
export function goRegExp(pattern: string): RegExp | undefined {
  let body = pattern;
  let flags = "u";
  const leading = /^\(\?([ims]+)\)/.exec(body);
  if (leading?.[1] !== undefined) {
    for (const flag of leading[1]) flags += flag;
    body = body.slice(leading[0].length);
  }
  body = body
    .replaceAll("(?P<", "(?<")
    .replace(/\\A/g, "^")
    .replace(/\\z/g, "$")
    .replace(/\[\[:(\w+):\]\]/g, (_, name: string) => `[${POSIX.get(name) ?? ""}]`)
    .replace(/\[:(\w+):\]/g, (_, name: string) => POSIX.get(name) ?? "");
  return compiled(body, flags) ?? compiled(body, flags.replace("u", ""));
}

function compiled(body: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(body, flags);
  } catch {
    return undefined;
  }
}

const POSIX: ReadonlyMap<string, string> = new Map([
  ["alnum", "0-9A-Za-z"],
  ["alpha", "A-Za-z"],
  ["ascii", "\\x00-\\x7F"],
  ["blank", "\\t "],
  ["cntrl", "\\x00-\\x1F\\x7F"],
  ["digit", "0-9"],
  ["graph", "!-~"],
  ["lower", "a-z"],
  ["print", " -~"],
  ["punct", "!-\\/:-@\\[-`\\{-~"],
  ["space", "\\t\\n\\v\\f\\r "],
  ["upper", "A-Z"],
  ["word", "0-9A-Za-z_"],
  ["xdigit", "0-9A-Fa-f"],
]);
