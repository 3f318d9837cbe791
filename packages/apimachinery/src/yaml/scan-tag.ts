import { decodeUtf8 } from "@fairlead/base";

import { hexDigit, isBlank, isBreakOrEnd, isDigit, isSpaceOrEnd, isWord, type Cursor } from "./cursor.js";
import { scannerError } from "./error.js";
import { TextBuilder } from "./text-builder.js";
import type { TokenBody } from "./token.js";

const PERCENT = 0x25;

/** Scans a directive from its `%` to its line break. @throws YamlError */
export function scanDirective(cursor: Cursor): TokenBody {
  cursor.skip();
  const name = scanWord(cursor);
  if (name === "") throw scannerError("could not find expected directive name", cursor.line);
  if (!isSpaceOrEnd(cursor.unit())) throw scannerError("found unexpected non-alphabetical character", cursor.line);
  const token = directiveValue(cursor, name);
  cursor.skipBlanks();
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.unit())) throw scannerError("did not find expected comment or line break", cursor.line);
  cursor.nextBreak();
  return token;
}

function directiveValue(cursor: Cursor, name: string): TokenBody {
  switch (name) {
    case "YAML": {
      cursor.skipBlanks();
      const major = scanVersionNumber(cursor);
      if (!cursor.startsWith(".")) throw scannerError("did not find expected digit or '.' character", cursor.line);
      cursor.skip();
      return { type: "version-directive", major, minor: scanVersionNumber(cursor) };
    }
    case "TAG": {
      cursor.skipBlanks();
      const handle = scanHandle(cursor);
      if (handle !== "!" && !isNamedHandle(handle)) throw scannerError("did not find expected '!'", cursor.line);
      if (!isBlank(cursor.unit())) throw scannerError("did not find expected whitespace", cursor.line);
      cursor.skipBlanks();
      const prefix = scanUri(cursor, "");
      if (!isSpaceOrEnd(cursor.unit()))
        throw scannerError("did not find expected whitespace or line break", cursor.line);
      return { type: "tag-directive", handle, prefix };
    }
    default:
      throw scannerError("found unknown directive name", cursor.line);
  }
}

function scanVersionNumber(cursor: Cursor): number {
  let digits = "";
  while (isDigit(cursor.unit())) {
    if (digits.length === 2) throw scannerError("found extremely long version number", cursor.line);
    digits += cursor.read();
  }
  if (digits === "") throw scannerError("did not find expected version number", cursor.line);
  return Number(digits);
}

/** Scans `&name` or `*name`. @throws YamlError */
export function scanAnchor(cursor: Cursor, type: "alias" | "anchor"): TokenBody {
  cursor.skip();
  const name = scanWord(cursor);
  const next = cursor.unit();
  if (name === "" || !(isSpaceOrEnd(next) || "?:,]}%@`".includes(String.fromCharCode(next))))
    throw scannerError("did not find expected alphabetic or numeric character", cursor.line);
  return { type, name };
}

/** Scans `!`, `!suffix`, `!handle!suffix` or `!<uri>`. @throws YamlError */
export function scanTag(cursor: Cursor): TokenBody {
  const token = cursor.startsWith("!<") ? verbatimTag(cursor) : shorthandTag(cursor);
  if (!isSpaceOrEnd(cursor.unit())) throw scannerError("did not find expected whitespace or line break", cursor.line);
  return token;
}

function verbatimTag(cursor: Cursor): TokenBody {
  cursor.skip(2);
  const suffix = scanUri(cursor, "");
  if (!cursor.startsWith(">")) throw scannerError("did not find the expected '>'", cursor.line);
  cursor.skip();
  return { type: "tag", handle: "", suffix };
}

function shorthandTag(cursor: Cursor): TokenBody {
  const handle = scanHandle(cursor);
  if (isNamedHandle(handle)) return { type: "tag", handle, suffix: scanUri(cursor, "") };
  const suffix = scanUri(cursor, handle);
  return suffix === "" ? { type: "tag", handle: "", suffix: "!" } : { type: "tag", handle: "!", suffix };
}

/** `!`, `!!` or `!name!`; or the beginning of a suffix, when no `!` ends it. */
function scanHandle(cursor: Cursor): string {
  if (!cursor.startsWith("!")) throw scannerError("did not find expected '!'", cursor.line);
  const handle = cursor.read() + scanWord(cursor);
  return cursor.startsWith("!") ? handle + cursor.read() : handle;
}

function isNamedHandle(handle: string): boolean {
  return handle.length > 1 && handle.endsWith("!");
}

const URI_SIGNS: ReadonlySet<number> = new Set(Array.from(";/?:@&=+$,.!~*'()[]", (sign) => sign.charCodeAt(0)));

/** What stands for itself in a tag; `%` begins what does not. */
function isInUri(unit: number): boolean {
  return isWord(unit) || URI_SIGNS.has(unit);
}

/**
 * Scans the rest of a tag.
 *
 * @param head - What was read of it, with its `!`, which is not part of the result; empty when nothing was.
 */
function scanUri(cursor: Cursor, head: string): string {
  const uri = new TextBuilder();
  uri.append(head.slice(1) + cursor.readWhile(isInUri));
  while (cursor.unit() === PERCENT) {
    uri.append(scanUriEscape(cursor));
    for (let unit = cursor.unit(); isInUri(unit); unit = cursor.unit()) uri.push(cursor.next());
  }
  if (head === "" && uri.length === 0) throw scannerError("did not find expected tag URI", cursor.line);
  return uri.toString();
}

/** One character that is written as `%e2%82%ac`. */
function scanUriEscape(cursor: Cursor): string {
  const first = octetHere(cursor);
  const width = first < 0x80 ? 1 : first >> 5 === 6 ? 2 : first >> 4 === 14 ? 3 : first >> 3 === 30 ? 4 : 0;
  if (width === 0) throw scannerError("found an incorrect leading UTF-8 octet", cursor.line);
  cursor.skip(3);
  if (width === 1) return String.fromCharCode(first);
  const octets = [first];
  while (octets.length < width) {
    const octet = octetHere(cursor);
    if (octet >> 6 !== 2) throw scannerError("found an incorrect trailing UTF-8 octet", cursor.line);
    cursor.skip(3);
    octets.push(octet);
  }
  return decodeUtf8(Uint8Array.from(octets));
}

/** What `%41` here stands for. */
function octetHere(cursor: Cursor): number {
  const [high, low] = [hexDigit(cursor.unit(1)), hexDigit(cursor.unit(2))];
  if (cursor.unit() !== PERCENT || high < 0 || low < 0)
    throw scannerError("did not find URI escaped octet", cursor.line);
  return high * 16 + low;
}

function scanWord(cursor: Cursor): string {
  return cursor.readWhile(isWord);
}
