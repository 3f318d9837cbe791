// String and bytes literals (cel-go: parser/unescape.go).
import { encodeUtf8 } from "@fairlead/base";

/** What a literal stands for, or what is wrong with it. */
export type Unquoted<T> = { readonly value: T } | { readonly problem: string };

const PLAIN: ReadonlyMap<string, number> = new Map(
  Object.entries({ a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, "\\": 92, "'": 39, '"': 34, "`": 96, "?": 63 }),
);

/** @param quoted - A string literal with its quotes and prefix. */
export function unquoteString(quoted: string): Unquoted<string> {
  const { body, raw } = bodyOf(quoted);
  if (raw || !body.includes("\\")) return { value: body };
  let out = "";
  for (const piece of pieces(body)) {
    if (typeof piece === "string") {
      out += piece;
      continue;
    }
    const { point } = piece;
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return { problem: "invalid unicode code point" };
    out += String.fromCodePoint(point);
  }
  return { value: out };
}

/** @param quoted - A bytes literal with its quotes, without its `b`. Escapes are bytes; other text is UTF-8. */
export function unquoteBytes(quoted: string): Unquoted<Uint8Array> {
  const { body, raw } = bodyOf(quoted);
  const bytes: number[] = [];
  for (const piece of raw ? [body] : pieces(body)) {
    if (typeof piece === "string") bytes.push(...encodeUtf8(piece));
    else if (piece.unicode) return { problem: "unable to unescape string" };
    else bytes.push(piece.point);
  }
  return { value: Uint8Array.from(bytes) };
}

function bodyOf(quoted: string): { readonly body: string; readonly raw: boolean } {
  const raw = /^[rR]/.test(quoted);
  const text = (raw ? quoted.slice(1) : quoted).replace(/\r\n?/g, "\n");
  const quotes = /^(?:"""|''')/.test(text) && text.length >= 6 ? 3 : 1;
  return { body: text.slice(quotes, -quotes), raw };
}

interface Escape {
  readonly point: number;
  /** Whether it names a character rather than a byte. */
  readonly unicode: boolean;
}

/** Text as it is, and escapes; the lexer has seen that they are well formed. */
function pieces(body: string): readonly (string | Escape)[] {
  const out: (string | Escape)[] = [];
  let at = 0;
  while (at < body.length) {
    const slash = body.indexOf("\\", at);
    if (slash < 0) return [...out, body.slice(at)];
    if (slash > at) out.push(body.slice(at, slash));
    const letter = body[slash + 1] ?? "";
    const digits = { x: 2, X: 2, u: 4, U: 8 }[letter];
    const plain = PLAIN.get(letter);
    if (plain !== undefined) out.push({ point: plain, unicode: false });
    else if (digits === undefined) out.push({ point: parseInt(body.slice(slash + 1, slash + 4), 8), unicode: false });
    else out.push({ point: parseInt(body.slice(slash + 2, slash + 2 + digits), 16), unicode: digits > 2 });
    at = slash + 2 + (plain !== undefined ? 0 : (digits ?? 2));
  }
  return out;
}
