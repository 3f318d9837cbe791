import type { KubernetesObject, ObjectKey } from "@fairlead/apimachinery";
import type { AnyContract, OnConflict, ResourceKind } from "@fairlead/client";
import type { InformerOptions } from "../informer/informer.js";
import type { Context } from "./context.js";
import type { Outcome } from "./outcome.js";
import type { Index, Predicate, Trigger } from "./triggers.js";

/** A controller as its author writes it; see `defineController`. */
export interface ControllerSpec<T extends KubernetesObject> {
  /** Lower case, unique in the manager. */
  readonly name: string;
  /** The primary kind: `reconcile` gets its objects. */
  readonly for: ResourceKind<T>;
  /** Which of them: a namespace, a selector. */
  readonly scope?: InformerOptions;
  /** Which changes of primary objects lead to a reconcile; all by default. See `generationChanged`. */
  readonly predicate?: Predicate<T>;
  /** What it makes: changes of objects of these kinds reconcile their owner. Contracts, or kinds. */
  readonly owns?:
    | readonly (AnyContract | ResourceKind<KubernetesObject>)[]
    | Readonly<Record<string, AnyContract | ResourceKind<KubernetesObject>>>;
  /** What else leads to reconciles; see `watch`. */
  readonly watches?: readonly Trigger[];
  /** Kinds that are kept in a store for reading, and trigger nothing. */
  readonly reads?: readonly ResourceKind<KubernetesObject>[];
  /** Indexes over the kinds above. */
  readonly indexes?: readonly Index[];

  /**
   * Brings the world closer to what the object asks for. Called with the newest state that is known, whatever happened
   * in between; must be safe to repeat and to be cut off at any await. What it throws is retried with backoff, except
   * TerminalError. Deleting objects come here too, unless there is a `finalize`.
   */
  reconcile(object: T, ctx: Context<T>): Promise<Outcome>;

  /** Cleaning up before an object goes away. The finalizer is on the object before the first `reconcile`. */
  readonly finalize?: {
    /** `example.com/cleanup` */
    readonly name: string;
    /** Returns `released()` once there is nothing left; only then the finalizer is removed. */
    run(object: T, ctx: Context<T>): Promise<Outcome>;
  };

  /** Called when a primary object is gone: for memory that was kept for it. It cannot be relied on after a restart. */
  gone?(key: ObjectKey): void;

  /** Who owns the fields it writes; `fairlead/<name>` by default. */
  readonly fieldManager?: string;
  /** For `ctx.apply`; `report` by default. */
  readonly onConflict?: OnConflict;
  /** Objects that are reconciled at the same time at most; 8 by default. One object never is twice. */
  readonly concurrency?: number;
  /** How long one reconcile may take; 60 s by default. */
  readonly deadlineMs?: number;
  /** Whether it works only on the leader; `leader` by default. */
  readonly runs?: "leader" | "everywhere";
  /** See WorkQueue. */
  readonly backoff?: { readonly baseMs?: number; readonly maxMs?: number };
}
