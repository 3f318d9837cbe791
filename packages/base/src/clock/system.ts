import type { Clock } from "./clock.js";

/** The machine's clock: the only place that reads the real time or starts a real timer. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      }, ms);
      signal.addEventListener("abort", onAbort, { once: true });
    }),
  schedule: (ms, action) => {
    const timer = setTimeout(action, Math.min(ms, 0x7fffffff));
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
