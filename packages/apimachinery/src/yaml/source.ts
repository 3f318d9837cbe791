import { decodeUtf16, decodeUtf8, decodeUtf8Strictly } from "@fairlead/base";

/**
 * A text to be scanned.
 *
 * libyaml reads its input in blocks of 512 bytes, and refuses one that holds what it does not read as soon as it needs
 * the first byte of it; so does this, which decides whether that or an earlier fault of the syntax is told.
 */
export interface Source {
  /** Without its byte order mark. */
  readonly text: string;
  /** The units before the first block that is refused. */
  readonly readable: number;
  /** Why it is. */
  readonly problem: string;
}

const BLOCK_BYTES = 512;
const CONTROL = "control characters are not allowed";

/** Text, or its bytes: UTF-8, or UTF-16 where a byte order mark says so (go-yaml v2: readerc.go). */
export function sourceOf(input: string | Uint8Array): Source {
  if (typeof input === "string") {
    const marked = input.startsWith("\ufeff");
    return checked({ text: marked ? input.slice(1) : input, markBytes: marked ? 3 : 0 });
  }
  const [first, second] = input;
  if (first === 0xff && second === 0xfe) return checked(decodedUtf16(input.subarray(2), true), bytesOfUtf16);
  if (first === 0xfe && second === 0xff) return checked(decodedUtf16(input.subarray(2), false), bytesOfUtf16);
  const markBytes = first === 0xef && second === 0xbb && input[2] === 0xbf ? 3 : 0;
  const bytes = input.subarray(markBytes);
  const text = decodeUtf8Strictly(bytes);
  return checked({ markBytes, ...(text === undefined ? brokenUtf8(bytes) : { text }) });
}

/** What could be decoded, and what could not be where it ends. */
interface Decoded {
  readonly text: string;
  /** Of the byte order mark before it. */
  readonly markBytes: number;
  readonly fault?: string;
}

/** What isAllowed allows, and halves of surrogate pairs. */
const ALLOWED = /^[\t\n\r\u0020-\u007e\u0085\u00a0-\ufffd]*$/;

function checked({ text, markBytes, fault }: Decoded, bytesOf: (point: number) => number = bytesOfUtf8): Source {
  if (fault === undefined && ALLOWED.test(text)) return { text, readable: text.length, problem: CONTROL };
  let [start, bytes] = [0, markBytes];
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) ?? 0;
    const width = bytesOf(point);
    if (bytes + width > BLOCK_BYTES) [start, bytes] = [at, 0];
    if (!isAllowed(point)) return { text, readable: start, problem: CONTROL };
    bytes += width;
    if (point > 0xffff) at++;
  }
  if (fault === undefined) return { text, readable: text.length, problem: CONTROL };
  // What is incomplete is looked at again when no more was read, as the beginning of another block.
  const alone = bytes === BLOCK_BYTES || fault.startsWith("incomplete");
  return { text: `${text}\ufffd`, readable: alone ? text.length : start, problem: fault };
}

function isAllowed(point: number): boolean {
  if (point < 0x7f) return point >= 0x20 || point === 0x09 || point === 0x0a || point === 0x0d;
  return point === 0x85 || (point >= 0xa0 && point !== 0xfffe && point !== 0xffff);
}

function bytesOfUtf8(point: number): number {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

function bytesOfUtf16(point: number): number {
  return point < 0x10000 ? 2 : 4;
}

/** What stands before the first fault of bytes that have one. */
function brokenUtf8(bytes: Uint8Array): { readonly text: string; readonly fault: string } {
  for (let at = 0; ;) {
    const first = bytes[at] as number;
    const width = first < 0x80 ? 1 : first >> 5 === 6 ? 2 : first >> 4 === 14 ? 3 : first >> 3 === 30 ? 4 : 0;
    const fault = faultOfUtf8(bytes, at, width);
    if (fault !== undefined) return { text: decodeUtf8(bytes.subarray(0, at)), fault };
    at += width;
  }
}

function faultOfUtf8(bytes: Uint8Array, at: number, width: number): string | undefined {
  if (width === 0) return "invalid leading UTF-8 octet";
  if (at + width > bytes.length) return "incomplete UTF-8 octet sequence";
  let point = (bytes[at] as number) & (width === 1 ? 0x7f : 0x7f >> width);
  for (let i = at + 1; i < at + width; i++) {
    const octet = bytes[i] as number;
    if (octet >> 6 !== 2) return "invalid trailing UTF-8 octet";
    point = (point << 6) | (octet & 0x3f);
  }
  if (width > 1 && (width === 2 ? point < 0x80 : width === 3 ? point < 0x800 : point < 0x10000))
    return "invalid length of a UTF-8 sequence";
  return isSurrogate(point) || point > 0x10ffff ? "invalid Unicode character" : undefined;
}

function decodedUtf16(bytes: Uint8Array, littleEndian: boolean): Decoded {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const units = new Uint16Array(bytes.length >> 1);
  for (let i = 0; i < units.length; i++) units[i] = view.getUint16(i * 2, littleEndian);
  const end = endOfUtf16(units, bytes.length % 2 === 1);
  return { ...end, text: decodeUtf16(units.subarray(0, end.length)), markBytes: 2 };
}

/** How many units there are before the first fault. */
function endOfUtf16(units: Uint16Array, odd: boolean): { readonly length: number; readonly fault?: string } {
  for (let i = 0; i < units.length; i++) {
    const unit = units[i] as number;
    if (!isSurrogate(unit)) continue;
    if (unit >= 0xdc00) return { length: i, fault: "unexpected low surrogate area" };
    const low = units[i + 1];
    if (low === undefined) return { length: i, fault: "incomplete UTF-16 surrogate pair" };
    if (low < 0xdc00 || low > 0xdfff) return { length: i, fault: "expected low surrogate area" };
    i++;
  }
  return odd ? { length: units.length, fault: "incomplete UTF-16 character" } : { length: units.length };
}

function isSurrogate(point: number): boolean {
  return point >= 0xd800 && point <= 0xdfff;
}
