// Functions of text (cel-go: ext/strings.go, version 2). Positions count characters.
import { declare, global, member, type Library } from "../check/declarations.js";
import { DYN, INT, listOf, STRING } from "../check/types.js";
import { elementsOf, ValueList } from "../value/list.js";
import { characterAt, charactersOf, lengthOf, MOST_CHARACTERS, tooLong, unitOf } from "../value/text.js";
import { CelError, type CelList, type Result, type Value } from "../value/value.js";
import { formatText } from "./format-text.js";

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): Result {
  const length = BigInt(lengthOf(text));
  if (index < 0n || index > length) return outOfRange(index);
  const point = text.codePointAt(unitOf(text, Number(index)));
  return point === undefined ? "" : String.fromCodePoint(point);
}

function indexOf(text: string, part: string, from = 0n): Result {
  const length = BigInt(lengthOf(text));
  if (part === "") return from > length ? length : from < 0n ? outOfRange(from) : from;
  if (from < 0n) return outOfRange(from);
  if (from >= length) return -1n;
  const at = text.indexOf(part, unitOf(text, Number(from)));
  return at < 0 ? -1n : BigInt(characterAt(text, at));
}

function lastIndexOf(text: string, part: string, from?: bigint): Result {
  const length = BigInt(lengthOf(text));
  if (from !== undefined && from < 0n) return outOfRange(from);
  if (part === "") return from === undefined || from > length ? length : from;
  if (from !== undefined && from >= length) return -1n;
  const at = text.lastIndexOf(part, from === undefined ? text.length : unitOf(text, Number(from)));
  return at < 0 ? -1n : BigInt(characterAt(text, at));
}

function substring(text: string, start: bigint, end?: bigint): Result {
  const length = BigInt(lengthOf(text));
  if (end !== undefined && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > length) return outOfRange(start);
  if (end !== undefined && (end < 0n || end > length)) return outOfRange(end);
  return text.slice(unitOf(text, Number(start)), end === undefined ? undefined : unitOf(text, Number(end)));
}

/** Go's strings.Replace: a negative count is no limit, and the empty text stands between all characters. */
function replace(text: string, old: string, replacement: string, count = -1n): Result {
  if (count === 0n || old === replacement) return text;
  const parts = old === "" ? ["", ...charactersOf(text), ""] : text.split(old);
  const gaps = parts.length - 1;
  const times = count < 0n || count > BigInt(gaps) ? gaps : Number(count);
  if (text.length + times * replacement.length > MOST_CHARACTERS) return tooLong("replace");
  const head = parts.slice(0, times + 1).join(replacement);
  return times === gaps ? head : head + old + parts.slice(times + 1).join(old);
}

/** Go's strings.SplitN. */
function split(text: string, separator: string, limit = -1n): Result {
  if (limit === 0n) return new ValueList([]);
  const parts = separator === "" ? charactersOf(text) : text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return new ValueList(parts);
  const kept = Number(limit) - 1;
  return new ValueList([...parts.slice(0, kept), parts.slice(kept).join(separator)]);
}

function join(list: CelList, separator = ""): Result {
  const elements = elementsOf(list);
  if (elements instanceof CelError) return elements;
  let length = 0;
  for (const element of elements) {
    if (typeof element !== "string") return new CelError("join: invalid input: the list holds more than strings");
    length += element.length + separator.length;
    if (length > MOST_CHARACTERS) return tooLong("join");
  }
  return elements.join(separator);
}

const SPACE = "[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const ENDS = new RegExp(`^${SPACE}`);

function trim(text: string): Result {
  let end = text.length;
  while (end > 0 && ENDS.test(text[end - 1] ?? "")) end--;
  return text.slice(0, end).replace(ENDS, "");
}

const QUOTED: ReadonlyMap<string, string> = new Map([
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
  ['"', '\\"'],
]);

function quote(text: string): Result {
  return `"${text.replace(/["\\\u0007-\r]/g, (character) => QUOTED.get(character) ?? character)}"`;
}

const lower = (text: string): Result => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upper = (text: string): Result => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
const S = STRING;
const TEXTS = listOf(STRING);

export const STRINGS_LIBRARY: Library = [
  declare("charAt", member("string_char_at_int", [S, INT], S, charAt)),
  declare(
    "indexOf",
    member("string_index_of_string", [S, S], INT, (text: string, part: string) => indexOf(text, part)),
    member("string_index_of_string_int", [S, S, INT], INT, indexOf),
  ),
  declare(
    "lastIndexOf",
    member("string_last_index_of_string", [S, S], INT, (text: string, part: string) => lastIndexOf(text, part)),
    member("string_last_index_of_string_int", [S, S, INT], INT, lastIndexOf),
  ),
  declare("lowerAscii", member("string_lower_ascii", [S], S, lower)),
  declare(
    "replace",
    member("string_replace_string_string", [S, S, S], S, (a: string, b: string, c: string) => replace(a, b, c)),
    member("string_replace_string_string_int", [S, S, S, INT], S, replace),
  ),
  declare(
    "split",
    member("string_split_string", [S, S], TEXTS, (text: string, separator: string) => split(text, separator)),
    member("string_split_string_int", [S, S, INT], TEXTS, split),
  ),
  declare(
    "substring",
    member("string_substring_int", [S, INT], S, (text: string, start: bigint) => substring(text, start)),
    member("string_substring_int_int", [S, INT, INT], S, substring),
  ),
  declare("trim", member("string_trim", [S], S, trim)),
  declare("upperAscii", member("string_upper_ascii", [S], S, upper)),
  declare(
    "format",
    member("string_format", [S, listOf(DYN)], S, (text: string, args: CelList) => {
      const values: readonly Value[] | CelError = elementsOf(args);
      return values instanceof CelError ? values : formatText(text, values);
    }),
  ),
  declare("strings.quote", global("strings_quote", [S], S, quote)),
  declare(
    "join",
    member("list_join", [TEXTS], S, (list: CelList) => join(list)),
    member("list_join_string", [TEXTS, S], S, join),
  ),
];
