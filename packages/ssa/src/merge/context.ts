import type { JsonObject } from "@fairlead/base";

import type { FieldSet } from "../fieldpath/field-set.js";
import type { EmptiedContainer } from "../typed/remove.js";
import type { Type } from "../typed/type.js";

/** An object in one API version, with the type it has there. */
export interface TypedObject {
  readonly value: JsonObject;
  readonly type: Type;
  readonly apiVersion: string;
  /** Of configurations: whether a field is explicitly null. */
  readonly hasNull?: boolean;
}

/** How objects get from version to version, and what is not tracked in each. */
export interface MergeContext {
  /** Undefined when the version is not served any more: its managers are forgotten. */
  readonly convert: (object: TypedObject, apiVersion: string) => TypedObject | undefined;
  /** Paths, per version, that nobody comes to own through this endpoint. */
  readonly ignored: (apiVersion: string) => FieldSet | undefined;
  readonly emptied: EmptiedContainer;
  /** Where sets are remembered that the schema of a type did not change. */
  readonly reconciled?: WeakMap<FieldSet, Type>;
}
