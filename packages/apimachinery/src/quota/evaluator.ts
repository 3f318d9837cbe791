import type { JsonObject } from "@fairlead/base";

import type { Amounts } from "./amounts.js";

/** What a quota's scope asks of an object (core/v1: ScopedResourceSelectorRequirement). */
export interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** How the objects of one resource are measured. */
export interface QuotaEvaluator {
  /** Whether a name in a quota is one that these objects use. */
  readonly counts: (name: string) => boolean;
  /** What an object uses at a time. */
  readonly usage: (object: JsonObject, nowMs: number) => Amounts;
  /** What an object lacks that has to say how much it needs of the resources; undefined when it is complete. */
  readonly missing?: (object: JsonObject, names: readonly string[]) => string | undefined;
  /** Whether an object is in a scope; without it none is in any. */
  readonly inScope?: (object: JsonObject, scope: ScopeRequirement) => boolean;
  /** Which updates can use more; `""` is the object itself. */
  readonly updates: ReadonlySet<string>;
}
