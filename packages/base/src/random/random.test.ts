import { describe, expect, it } from "vitest";

import { seededRandom, uuid } from "./random.js";
import { systemRandom } from "./system.js";

describe.each([
  ["seeded", () => seededRandom(1)],
  ["the system's", () => systemRandom],
])("chance that is %s", (_name, make) => {
  it("is within [0, 1), and no two uids are equal", () => {
    const random = make();
    for (let i = 0; i < 1000; i++) {
      const next = random.next();
      expect(next >= 0 && next < 1).toBe(true);
    }
    const uids = Array.from({ length: 2000 }, () => uuid(random));
    expect(new Set(uids).size).toBe(2000);
    for (const uid of uids)
      expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("gives as many bytes as were asked for", () => {
    for (const length of [0, 1, 16, 4095, 4096, 4097, 10_000]) expect(make().bytes(length)).toHaveLength(length);
  });
});

it("equal seeds give equal chance, other seeds another", () => {
  const draw = (seed: number): readonly number[] => {
    const random = seededRandom(seed);
    return Array.from({ length: 20 }, () => random.next());
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
});

it("bytes that were given out do not change afterwards", () => {
  const first = systemRandom.bytes(16);
  const copy = Uint8Array.from(first);
  for (let i = 0; i < 600; i++) systemRandom.bytes(16);
  expect(first).toEqual(copy);
});
