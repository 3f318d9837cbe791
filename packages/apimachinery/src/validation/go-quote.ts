/** A string as Go's `%q` prints it: quotes, backslashes and what is not printable are escaped. */
export function goQuote(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  let out = '"';
  for (const character of text) out += escaped(character);
  return `${out}"`;
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

function escaped(character: string): string {
  const named = NAMED.get(character);
  if (named !== undefined) return named;
  if (isPrintable(character)) return character;
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x80) return `\\x${point.toString(16).padStart(2, "0")}`;
  return point < 0x10000 ? `\\u${point.toString(16).padStart(4, "0")}` : `\\U${point.toString(16).padStart(8, "0")}`;
}

/** Whether Go's `unicode.IsPrint` holds: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrintable(character: string): boolean {
  return character === " " || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character);
}
