import type { Random } from "./random.js";

/** Asking the machine costs the same for few bytes and for many, so they are fetched in advance and used up in order. */
const POOL_BYTES = 4096;
let pool = new Uint8Array(0);
let used = 0;

/** Bytes that nobody was given before. */
function take(length: number): Uint8Array {
  if (length > POOL_BYTES) return crypto.getRandomValues(new Uint8Array(length));
  if (used + length > pool.length) {
    pool = crypto.getRandomValues(new Uint8Array(POOL_BYTES));
    used = 0;
  }
  const bytes = pool.slice(used, used + length);
  pool.fill(0, used, used + length);
  used += length;
  return bytes;
}

/** The machine's cryptographic random source: the only place that uses real chance. */
export const systemRandom: Random = {
  next: () => {
    const view = new DataView(take(8).buffer);
    return (view.getUint32(0) * 0x20_0000 + (view.getUint32(4) >>> 11)) / 0x20_0000_0000_0000;
  },
  bytes: take,
};
