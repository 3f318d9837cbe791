import type { Clock, Logger, Random } from "@fairlead/base";
import type { ObjectKey } from "@fairlead/apimachinery";
import type { Client } from "@fairlead/client";
import type { Informers } from "../informer/informers.js";
import type { EventSink } from "./context.js";
import type { Outcome } from "./outcome.js";

/** What one reconcile came to, for whoever observes. */
export interface Reconciled {
  readonly controller: string;
  readonly key: ObjectKey;
  readonly durationMs: number;
  readonly result:
    | { readonly kind: "done"; readonly outcome: Outcome }
    | { readonly kind: "failed"; readonly error: unknown; readonly retryMs: number | undefined };
}

/** What a controller needs from its manager. */
export interface ControllerEnv {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly informers: Informers;
  /** Makes the sink of a controller's events. */
  readonly events: (component: string, client: Client) => EventSink;
  /** Whether this process may write right now. */
  readonly leading: () => boolean;
  readonly onReconciled?: ((reconciled: Reconciled) => void) | undefined;
}

/** A controller for a manager to run; its type no longer shows the primary kind. */
export interface ControllerDefinition {
  readonly name: string;
  readonly fieldManager: string;
  readonly runs: "leader" | "everywhere";
  create(env: ControllerEnv): Controller;
}

/** A controller in a manager. */
export interface Controller {
  readonly name: string;
  /** Waits for its caches, then works until the signal is aborted; then lets reconciles end for `stopMs`, and resolves. */
  run(signal: AbortSignal, stopMs: number): Promise<void>;
  /** What it has to do at this moment. */
  readonly activity: Activity;
}

/** How busy something is. At rest: nothing queued, nothing working. */
export interface Activity {
  readonly queued: number;
  readonly working: number;
  /** Milliseconds until something waits no longer; undefined when nothing does. */
  readonly nextDueMs: number | undefined;
}
