/** The handful of DER forms that an X.509 certificate is made of (ITU-T X.690). */

/** One element: tag, length, content. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const size = contents.reduce((n, c) => n + c.length, 0);
  const head = [tag, ...lengthBytes(size)];
  const out = new Uint8Array(head.length + size);
  out.set(head);
  let at = head.length;
  for (const content of contents) {
    out.set(content, at);
    at += content.length;
  }
  return out;
}

function lengthBytes(size: number): readonly number[] {
  if (size < 0x80) return [size];
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...items: readonly Uint8Array[]): Uint8Array => der(0x30, ...items);
export const setOf = (...items: readonly Uint8Array[]): Uint8Array => der(0x31, ...items);
export const octets = (content: Uint8Array): Uint8Array => der(0x04, content);
export const bits = (content: Uint8Array, unused = 0): Uint8Array => der(0x03, Uint8Array.of(unused), content);
export const yes: Uint8Array = Uint8Array.of(0x01, 0x01, 0xff);
export const text = (value: string): Uint8Array => der(0x0c, new TextEncoder().encode(value));

/** A positive integer from big-endian bytes. */
export function integer(bytes: Uint8Array): Uint8Array {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  const trimmed = bytes.subarray(from);
  return (trimmed[0] ?? 0) >= 0x80 ? der(0x02, Uint8Array.of(0), trimmed) : der(0x02, trimmed);
}

/** `1.2.840.10045.4.3.2`. */
export function objectId(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let high = part >>> 7; high > 0; high >>>= 7) groups.unshift((high & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Uint8Array.from(bytes));
}

/** A moment in the form that RFC 5280 wants: two-digit years until 2049. */
export function time(ms: number): Uint8Array {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, "").slice(0, 14);
  const short = Number(digits.slice(0, 4)) < 2050;
  return der(short ? 0x17 : 0x18, new TextEncoder().encode(`${short ? digits.slice(2) : digits}Z`));
}
