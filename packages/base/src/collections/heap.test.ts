import fc from "fast-check";
import { expect, it } from "vitest";

import { Heap } from "./heap.js";

it("a heap gives the least first, whatever is pushed in between", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer(), { nil: undefined })), (steps) => {
      const heap = new Heap<number>((a, b) => a - b);
      let model: number[] = [];
      for (const step of steps) {
        if (step === undefined) expect(heap.pop()).toBe(model.shift());
        else {
          heap.push(step);
          model = [...model, step].sort((a, b) => a - b);
        }
        expect(heap.size).toBe(model.length);
        expect(heap.peek()).toBe(model[0]);
      }
    }),
  );
});
