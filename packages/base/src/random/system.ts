import type { Random } from "./random.js";

/** The machine's cryptographic random source: the only place that uses real chance. */
export const systemRandom: Random = {
  next: () => {
    const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
    return (high * 0x20_0000 + (low >>> 11)) / 0x20_0000_0000_0000;
  },
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
};
