import { FairleadError, VirtualClock, type Clock } from "@fairlead/base";

/** What an environment is doing at this moment. */
export interface Work {
  /** Keys that wait for a worker, and reconciles that run. */
  readonly busy: number;
  /** Requests without an answer. */
  readonly open: number;
  /** Requests so far, and accepted writes so far; they only grow. */
  readonly sent: number;
  readonly written: number;
}

export interface SettleOptions {
  /** It is quiet when nothing was written for so long, on the environment's clock; 5 s by default, 300 ms in real time. */
  readonly quietMs?: number;
  /** How long it may take, on the environment's clock; 10 minutes by default, 60 s in real time. */
  readonly limitMs?: number;
}

/** Nothing came to rest: something writes for ever, or waits for what does not come. */
export class NotSettledError extends FairleadError {
  constructor(message: string) {
    super("NotSettled", message);
  }
}

/** How to wait for an environment. */
export interface Settling {
  readonly clock: Clock;
  /** Real time, for what happens outside of the clock: disks, child processes. */
  readonly real: Clock;
  readonly work: () => Work;
  /** The last few writes, for the error. */
  readonly lastWrites: () => readonly string[];
  readonly signal: AbortSignal;
}

/** Real milliseconds that work may take between two alarms of a virtual clock before the next one rings. */
const PATIENCE_MS = 20;
/** So often the event loop is let run between two alarms; who is not done then keeps itself busy. */
const ROUNDS = 50;
const POLL_MS = 10;

/**
 * Waits until nothing is worked on and nothing was written for a while.
 *
 * @throws NotSettledError when the limit is reached before.
 */
export async function settle(settling: Settling, options: SettleOptions = {}): Promise<void> {
  const { clock, signal } = settling;
  const virtual = clock instanceof VirtualClock ? clock : undefined;
  const { quietMs = virtual === undefined ? 300 : 5_000, limitMs = virtual === undefined ? 60_000 : 600_000 } = options;
  const start = clock.monotonic();
  let written = -1;
  let since = start;
  while (true) {
    if (virtual !== undefined) await rest(virtual, settling);
    const work = settling.work();
    const now = clock.monotonic();
    if (work.written !== written) [written, since] = [work.written, now];
    const left = since + quietMs - now;
    if (left <= 0 && work.busy === 0 && work.open === 0) return;
    if (now - start >= limitMs) throw notSettled(work, limitMs, settling.lastWrites());
    if (virtual === undefined) await clock.sleep(POLL_MS, signal);
    else step(virtual, Math.max(left, 1));
  }
}

/** Rings the next alarm, or moves on by `mostMs` when none falls due before. */
function step(clock: VirtualClock, mostMs: number): void {
  const next = clock.nextMs();
  if (next !== undefined && next <= mostMs) clock.step();
  else {
    clock.schedule(mostMs, () => undefined);
    clock.step();
  }
}

/** Lets everything run that needs no alarm; work that waits for the world outside gets a little real time. */
async function rest(clock: VirtualClock, { real, work, signal }: Settling): Promise<void> {
  const patience = real.monotonic() + PATIENCE_MS;
  for (let round = 0; round < ROUNDS; round++) {
    const before = work();
    await clock.advance(0);
    const after = work();
    if (after.sent !== before.sent || after.written !== before.written) continue;
    if (after.busy === 0 && after.open === 0) return;
    if (real.monotonic() >= patience) return;
    await real.sleep(1, signal);
  }
}

function notSettled(work: Work, limitMs: number, lastWrites: readonly string[]): NotSettledError {
  const writes = lastWrites.length === 0 ? "nothing was written" : `last written: ${lastWrites.join("; ")}`;
  return new NotSettledError(
    `Nothing came to rest within ${limitMs} ms: ${work.busy} keys queued or worked on, ${work.open} requests open; ${writes}`,
  );
}
