import type { JsonObject, JsonValue, MutableJsonObject, Sliced } from "@fairlead/base";
import type { FieldError, GroupVersionKind, Schema } from "@fairlead/apimachinery";

/** Everything the registry must know of a served resource, built-in or custom, that is not behaviour. */
export interface ResourceInfo extends GroupVersionKind {
  /** The URL word: plural, lower case. */
  readonly resource: string;
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Verbs as discovery lists them, e.g. `create delete deletecollection get list patch update watch`. */
  readonly verbs: readonly string[];
  readonly hasStatus: boolean;
  /** Where `/scale` reads and writes; absent when it is not served. */
  readonly scale?: ScalePaths;
  /** Other subresources, e.g. `binding`, `eviction`, `log`, `token`, `finalize`, `approval`. */
  readonly otherSubresources: readonly Subresource[];
  readonly tracksGeneration: boolean;
  readonly allowsUnconditionalUpdate: boolean;
  readonly allowsCreateOnUpdate: boolean;
  /** Whether DELETE answers with the object rather than with a Status. */
  readonly returnsDeletedObject: boolean;
  /** What DELETE without a policy does to dependents. */
  readonly defaultPropagation: "Background" | "Orphan";
  /** Custom resources answer differently in many corners (415, 422, key order, list items). */
  readonly custom: boolean;
}

export interface Subresource extends GroupVersionKind {
  readonly name: string;
  readonly verbs: readonly string[];
}

/** JSON paths without the leading dot, e.g. `spec.replicas`. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  readonly labelSelector?: string;
}

/** A column of a Table. */
export interface TableColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format: string;
  readonly description: string;
  /** 0 is always shown; 1 only by `-o wide`. */
  readonly priority: number;
}

/** What is wrong with an object; in slices where finding it may take long. */
export type FieldErrors = readonly FieldError[] | Sliced<readonly FieldError[]>;

/** The clock's time in milliseconds, and whatever else a strategy may not fetch itself. */
export interface StrategyContext {
  readonly nowMs: number;
  /** Who writes; absent where a strategy is only asked to show something. */
  readonly user?: {
    readonly username: string;
    readonly uid?: string;
    readonly groups: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
}

/**
 * What one kind does on each write. All functions are pure apart from changing the object they are handed, which is a
 * fresh copy in the kind's only served version; `metadata` has been dealt with by the registry (system fields, names,
 * labels, finalizers, owners), which also keeps `status` and `spec` apart between the endpoints.
 */
export interface ResourceStrategy {
  readonly info: ResourceInfo;
  readonly schema: Schema;

  /**
   * Brings a decoded object into the form that the real server would store and print: drops what is null or empty where
   * the Go type omits it, folds write-only fields (Secret `stringData`), canonicalises quantities, fills defaults.
   * Idempotent.
   */
  applyDefaults(object: MutableJsonObject): void;

  /** Kind-specific set-up of a new object, beyond dropping `status`, before it is validated. */
  prepareForCreate?(object: MutableJsonObject, context: StrategyContext): void;
  /** Kind-specific carrying over from the stored object (`status` is already the stored one), before validation. */
  prepareForUpdate?(object: MutableJsonObject, live: JsonObject, context: StrategyContext): void;
  /** The same for `/status`: `spec` is already the stored one. */
  prepareForStatusUpdate?(object: MutableJsonObject, live: JsonObject, context: StrategyContext): void;

  /** Errors of a new object, without those of `metadata`, in Kubernetes' order. */
  validateCreate(object: JsonObject): FieldErrors;
  /** Errors of a change, immutable fields included; calls validateCreate's rules too. */
  validateUpdate(object: JsonObject, live: JsonObject): FieldErrors;
  validateStatusUpdate?(object: JsonObject, live: JsonObject): FieldErrors;

  /** Values of `Warning` headers for a write. */
  warnings?(object: JsonObject, live: JsonObject | undefined): readonly string[];

  /** Custom kinds: `openAPIV3Schema` as their definition has it. */
  readonly openApiSchema?: JsonObject;

  /** The `Warning` that every request for a deprecated version is answered with. */
  readonly deprecation?: string;

  /** The `Warning` of a deletion that does not say what becomes of dependents. */
  readonly deletionWarning?: string;

  /** How `metadata.name` is checked; DNS-1123 subdomain when absent. Returns the messages of what is wrong. */
  readonly validateName?: (name: string, prefix: boolean) => readonly string[];

  readonly columns: readonly TableColumn[];
  /** Cells of a row, in the order of `columns`. */
  cells(object: JsonObject, context: StrategyContext): readonly JsonValue[];

  /** Value of a field selector's field beyond metadata.name and metadata.namespace; undefined where unsupported. */
  readonly selectableFields: ReadonlyMap<string, (object: JsonObject) => string>;

  /** Field paths (FieldsV1 form) that a manager never owns, per endpoint, beyond `status` / `spec`. */
  readonly resetFields?: {
    readonly main?: readonly (readonly string[])[];
    readonly status?: readonly (readonly string[])[];
  };
}
