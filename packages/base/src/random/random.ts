/** Chance as an argument: `systemRandom` in production, `seededRandom` in tests and simulations. */
export interface Random {
  /** Evenly distributed over [0, 1). */
  next(): number;

  /** `length` random bytes. Unpredictable (fit for keys and tokens) only from `systemRandom`. */
  bytes(length: number): Uint8Array;
}

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** A version 4 UUID, as Kubernetes uses for `metadata.uid`. */
export function uuid(random: Random): string {
  const b = random.bytes(16);
  b[6] = ((b[6] ?? 0) & 0x0f) | 0x40;
  b[8] = ((b[8] ?? 0) & 0x3f) | 0x80;
  let hex = "";
  for (const byte of b) hex += HEX[byte] as string;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The alphabet of Kubernetes' generated names: no vowels, so no words (apimachinery: pkg/util/rand). */
const NAME_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/** `length` characters as the API server appends them to `metadata.generateName`. */
export function nameSuffix(random: Random, length = 5): string {
  let out = "";
  for (let i = 0; i < length; i++) out += NAME_ALPHABET[Math.floor(random.next() * NAME_ALPHABET.length)] ?? "b";
  return out;
}

/** A repeatable stream of numbers from a 32-bit seed (mulberry32). Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  return { next, bytes: (length) => Uint8Array.from({ length }, () => Math.floor(next() * 256)) };
}
