import { Channel, formatTime, messageOf, nameSuffix, type Clock, type Logger, type Random } from "@fairlead/base";
import { isStatus, type KubernetesObject } from "@fairlead/apimachinery";
import type { EventSink, RecordedEvent } from "../controller/context.js";
import { countEvent, kinds, type Client } from "@fairlead/client";

export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Who reports: the controller's name. */
  readonly component: string;
  /** Events that wait to be sent at most; 1000 by default. More are dropped, and counted in the log. */
  readonly limit?: number;
}

interface Seen {
  readonly name: string;
  readonly namespace: string;
  count: number;
}

interface Queued {
  readonly about: KubernetesObject;
  readonly event: RecordedEvent;
  readonly at: number;
}

/** How many different events are remembered for counting. */
const REMEMBERED = 4096;

/**
 * Posts core/v1 Events. Recording never waits and never fails: events are sent one after another in the background, by
 * `run`, and those that cannot be sent are logged and dropped.
 */
export class EventRecorder implements EventSink {
  readonly #o: EventRecorderOptions;
  readonly #queue: Channel<Queued>;
  readonly #seen = new Map<string, Seen>();
  #pending = 0;

  constructor(options: EventRecorderOptions) {
    this.#o = options;
    this.#queue = new Channel(options.limit ?? 1000);
  }

  /** Events that were recorded and not sent yet. */
  get pending(): number {
    return this.#pending;
  }

  /** @param about - The object as read: its uid and version are in the event. */
  record(about: KubernetesObject, event: RecordedEvent): void {
    const pushed = this.#queue.push({ about, event, at: this.#o.clock.now() });
    if (pushed === "taken") this.#pending++;
    else this.#o.logger.warn("event dropped", { reason: event.reason, why: pushed });
  }

  /** Sends what is recorded until `close`; the signal ends the call that is under way. */
  async run(signal: AbortSignal): Promise<void> {
    for await (const queued of this.#queue) {
      if (signal.aborted) return;
      try {
        await this.#send(queued, signal);
      } catch (error) {
        if (!signal.aborted)
          this.#o.logger.warn("event not sent", { reason: queued.event.reason, error: messageOf(error) });
      } finally {
        this.#pending--;
      }
    }
  }

  /** Ends `run` after what was recorded before. */
  close(): void {
    this.#queue.close();
  }

  async #send({ about, event, at }: Queued, signal: AbortSignal): Promise<void> {
    const namespace = about.metadata.namespace ?? "default";
    const key = JSON.stringify([
      about.metadata.uid ?? about.metadata.name,
      namespace,
      event.type,
      event.reason,
      event.message,
    ]);
    const api = this.#o.client.api(kinds.Event, namespace);
    const seen = this.#seen.get(key);
    if (seen !== undefined) {
      try {
        await countEvent(api, seen.name, { count: seen.count + 1, lastTimestamp: formatTime(at) }, { signal });
        seen.count++;
        return;
      } catch (error) {
        // Events live for an hour; one that is gone is recorded anew.
        if (!isStatus(error, "NotFound")) throw error;
        this.#seen.delete(key);
      }
    }
    const name = `${about.metadata.name.slice(0, 200)}.${nameSuffix(this.#o.random, 16)}`;
    await api.create(this.#event(name, namespace, { about, event, at }), { signal });
    this.#remember(key, { name, namespace, count: 1 });
  }

  #event(name: string, namespace: string, { about, event, at }: Queued): kinds.Event {
    const { uid, resourceVersion } = about.metadata;
    const time = formatTime(at);
    return {
      metadata: { name, namespace },
      involvedObject: {
        ...(about.apiVersion === undefined ? {} : { apiVersion: about.apiVersion }),
        ...(about.kind === undefined ? {} : { kind: about.kind }),
        name: about.metadata.name,
        ...(about.metadata.namespace === undefined ? {} : { namespace: about.metadata.namespace }),
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      type: event.type,
      reason: event.reason,
      message: event.message.slice(0, 1024),
      ...(event.action === undefined ? {} : { action: event.action }),
      source: { component: this.#o.component },
      reportingComponent: this.#o.component,
      reportingInstance: this.#o.component,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
  }

  #remember(key: string, seen: Seen): void {
    this.#seen.set(key, seen);
    if (this.#seen.size <= REMEMBERED) return;
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined) this.#seen.delete(oldest);
  }
}
