/** A promise with its resolvers outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** A signal that is never aborted. */
export const never: AbortSignal = new AbortController().signal;

/** The listeners of each signal that has any; the signal itself has one, so that many waits on one signal are no leak. */
const hubs = new WeakMap<AbortSignal, { readonly listeners: Set<() => void>; readonly ring: () => void }>();

/**
 * Calls `listener` once when the signal is aborted, at once if it is already, unless the returned function is called
 * first. Any number may wait on one signal.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  let hub = hubs.get(signal);
  if (hub === undefined) {
    const listeners = new Set<() => void>();
    hub = { listeners, ring: () => ringAll(signal, listeners) };
    hubs.set(signal, hub);
    signal.addEventListener("abort", hub.ring, { once: true });
  }
  const { listeners, ring } = hub;
  const own = (): void => listener();
  listeners.add(own);
  return () => {
    if (!listeners.delete(own) || listeners.size > 0) return;
    hubs.delete(signal);
    signal.removeEventListener("abort", ring);
  };
}

function ringAll(signal: AbortSignal, listeners: Set<() => void>): void {
  hubs.delete(signal);
  const all = [...listeners];
  listeners.clear();
  for (const listener of all) listener();
}

/** Resolves when the signal is aborted; never rejects. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve);
  });
}

/** Settles as `promise` does, or rejects with `signal.reason` if that comes first. The promise itself is not stopped. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw signal.reason;
  const { promise: aborted, reject } = deferred<never>();
  const release = onAbort(signal, () => {
    reject(signal.reason);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    release();
  }
}
