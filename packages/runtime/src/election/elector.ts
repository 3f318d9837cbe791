import { type Clock, FairleadError, type Logger, messageOf, onAbort, type Random } from "@fairlead/base";
import { isStatus } from "@fairlead/apimachinery";
import { kinds, updateLease, type Api, type Client } from "@fairlead/client";
import {
  DEFAULT_LEASE_TIMES,
  freeSpec,
  heldSpec,
  leasePlan,
  observeLease,
  type LeaseSeen,
  type LeaseTimes,
} from "./lease.js";

export interface ElectorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly namespace: string;
  /** The lease's name: the same for all that compete. */
  readonly name: string;
  /** Unique among them. */
  readonly identity: string;
  readonly times?: Partial<LeaseTimes>;
}

/** Leadership ended although its work had not. */
export class LeadershipLostError extends FairleadError {
  constructor(name: string) {
    super("LeadershipLost", `The lease ${name} could not be renewed in time, so another may lead; work was stopped`);
  }
}

/**
 * Competes for a lease, and leads while it holds it. At no time do two lead, as long as their clocks run at about the
 * same speed: a leader stops `renewDeadlineMs` after its last renewal was *sent*, the others wait `durationMs` from when
 * they saw it.
 */
export class Elector {
  readonly #o: ElectorOptions;
  readonly #times: LeaseTimes;
  readonly #api: Api<kinds.Lease>;
  #seen: LeaseSeen = { lease: undefined, changedAtMs: 0 };
  #validUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ElectorOptions) {
    this.#o = options;
    this.#times = { ...DEFAULT_LEASE_TIMES, ...options.times };
    this.#api = options.client.api(kinds.Lease, options.namespace);
  }

  /** Whether this process leads at this moment. Ask it right before each write. */
  get leading(): boolean {
    return this.#o.clock.monotonic() < this.#validUntil;
  }

  /** Who was last seen to hold the lease; undefined when nobody does. */
  get holder(): string | undefined {
    const holder = this.#seen.lease?.spec?.holderIdentity;
    return holder === "" ? undefined : holder;
  }

  /**
   * Competes until the signal is aborted. Each time the lease is won, `lead` is called; its signal is aborted when
   * leadership ends, and the next round begins only after it has returned. The lease is given back only then, too.
   */
  async run(signal: AbortSignal, lead: (leading: AbortSignal) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      if (await this.#try(signal)) await this.#term(signal, lead);
      else await this.#pause(signal);
    }
  }

  /** One term of leadership. */
  async #term(signal: AbortSignal, lead: (leading: AbortSignal) => Promise<void>): Promise<void> {
    const { logger, name, identity } = this.#o;
    logger.info("leading", { lease: name, identity });
    const ending = new AbortController();
    const working = lead(ending.signal);
    const over = working.then(
      () => undefined,
      (error: unknown) => {
        if (!ending.signal.aborted) logger.error("leader's work failed", { lease: name, error: messageOf(error) });
      },
    );
    const renewing = this.#renew(signal, over);
    await Promise.race([renewing, over]);
    ending.abort(signal.aborted ? signal.reason : new LeadershipLostError(name));
    await over;
    await renewing;
    if (this.leading) await this.#release();
    this.#validUntil = Number.NEGATIVE_INFINITY;
    logger.info("no longer leading", { lease: name, identity });
  }

  /** Renews until it could not be done in time, the work is over, or the signal is aborted. */
  async #renew(signal: AbortSignal, over: Promise<void>): Promise<void> {
    const stop = new AbortController();
    const release = onAbort(signal, () => {
      stop.abort(signal.reason);
    });
    void over.then(() => {
      stop.abort(new Error("The leader's work is over"));
    });
    const { clock } = this.#o;
    try {
      while (!stop.signal.aborted && this.leading) {
        await this.#pause(stop.signal);
        if (stop.signal.aborted) return;
        const attempt = new AbortController();
        const releaseStop = onAbort(stop.signal, () => {
          attempt.abort(stop.signal.reason);
        });
        const cancel = clock.schedule(Math.max(0, this.#validUntil - clock.monotonic()), () => {
          attempt.abort(new LeadershipLostError(this.#o.name));
        });
        try {
          await this.#try(attempt.signal);
        } finally {
          cancel();
          releaseStop();
        }
      }
    } finally {
      release();
    }
  }

  /** One try to take or renew. Never throws: a conflict or a failure is no lease. */
  async #try(signal: AbortSignal): Promise<boolean> {
    const { clock, identity, namespace, name, logger } = this.#o;
    try {
      this.#seen = observeLease(this.#seen, await this.#api.find(name, { signal }), clock.monotonic());
      const sentAt = clock.monotonic();
      const plan = leasePlan(this.#seen, identity, sentAt, this.#times.durationMs);
      if (plan.kind === "wait") {
        this.#validUntil = Number.NEGATIVE_INFINITY;
        return false;
      }
      const spec = heldSpec(plan.kind === "create" ? undefined : plan.lease, identity, {
        nowMs: clock.now(),
        durationMs: this.#times.durationMs,
      });
      const lease =
        plan.kind === "create"
          ? await this.#api.create({ metadata: { name, namespace }, spec }, { signal })
          : await updateLease(this.#api, { ...plan.lease, spec }, { signal });
      this.#seen = observeLease(this.#seen, lease, clock.monotonic());
      this.#validUntil = sentAt + this.#times.renewDeadlineMs;
      return this.leading;
    } catch (error) {
      if (!signal.aborted && !isStatus(error, "Conflict") && !isStatus(error, "AlreadyExists")) {
        logger.warn("lease not written", { lease: name, error: messageOf(error) });
      }
      return false;
    }
  }

  async #release(): Promise<void> {
    const { lease } = this.#seen;
    if (lease === undefined) return;
    const limit = new AbortController();
    const cancel = this.#o.clock.schedule(this.#times.retryMs, () => {
      limit.abort(new Error("Giving the lease back took too long"));
    });
    try {
      await updateLease(this.#api, { ...lease, spec: freeSpec(lease, this.#o.clock.now()) }, { signal: limit.signal });
    } catch (error) {
      this.#o.logger.warn("lease not given back", { lease: this.#o.name, error: messageOf(error) });
    } finally {
      cancel();
    }
  }

  /** Waits for the next try, spread by a fifth so that candidates do not march in step. Ends early on abort. */
  async #pause(signal: AbortSignal): Promise<void> {
    const ms = this.#times.retryMs * (1 + 0.2 * this.#o.random.next());
    await this.#o.clock.sleep(ms, signal).catch(() => undefined);
  }
}
