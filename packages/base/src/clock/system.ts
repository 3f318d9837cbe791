import { onAbort } from "../async/async.js";
import type { Clock } from "./clock.js";

/** The machine's clock: the only place that reads the real time or starts a real timer. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        release();
        resolve();
      }, ms);
      const release = onAbort(signal, () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    }),
  turn: () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    }),
  schedule: (ms, action) => {
    const timer = setTimeout(action, Math.min(ms, 0x7fffffff));
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
