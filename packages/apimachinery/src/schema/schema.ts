import type { JsonValue } from "@fairlead/base";

/**
 * The schema of a value, of a built-in or a custom kind alike: the part of an OpenAPI schema that decides about
 * merging, defaulting, pruning and validation, with `$ref`s resolved. Schemas may be recursive (JSONSchemaProps), so
 * walk them along a value, never alone. Built once per kind and version; immutable.
 */
export interface Schema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly format?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: JsonValue;
  readonly enum?: readonly JsonValue[];

  /** Objects: known keys. */
  readonly properties?: ReadonlyMap<string, Schema>;
  readonly required?: readonly string[];
  /** Objects: the schema of every other key; `true` allows anything. */
  readonly additionalProperties?: Schema | true;
  readonly minProperties?: number;
  readonly maxProperties?: number;

  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;

  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;

  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;

  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;

  /** `x-kubernetes-list-type`; absent means atomic. */
  readonly listType?: "atomic" | "set" | "map";
  /** `x-kubernetes-list-map-keys`, in declared order. */
  readonly listMapKeys?: readonly string[];
  /** `x-kubernetes-map-type`; absent means granular. */
  readonly mapType?: "granular" | "atomic";
  /** `x-kubernetes-preserve-unknown-fields`. */
  readonly preserveUnknownFields?: boolean;
  /** `x-kubernetes-embedded-resource`. */
  readonly embeddedResource?: boolean;
  /** `x-kubernetes-int-or-string`. */
  readonly intOrString?: boolean;
  /** `x-kubernetes-validations`. */
  readonly validations?: readonly ValidationRule[];

  /** Built-in kinds only, for strategic merge patch: `x-kubernetes-patch-strategy` (comma separated) and merge key. */
  readonly patchStrategy?: readonly ("merge" | "replace" | "retainKeys")[];
  readonly patchMergeKey?: string;
  /** Built-in kinds only: a RawExtension, whose content has no schema at all and is one atomic value. */
  readonly untypedAtomic?: boolean;
  /** Built-in kinds only: how Go's encoder treats the field; see goForm. */
  readonly presence?: Presence;
  /** Built-in kinds only: the name of the type, e.g. `core.v1.PodSpec`. */
  readonly typeName?: string;
}

/**
 * How Go's encoder treats a field of a struct: `omitEmpty` leaves out zero and empty values, `always` prints them,
 * a `pointer` is printed when it is set, whatever it points to, and a `nullablePointer` is printed as null when it is not.
 */
export type Presence = "omitEmpty" | "always" | "pointer" | "nullablePointer";

/** One CEL rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}
