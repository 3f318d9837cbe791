import type { JsonObject } from "@fairlead/base";

/** A change of another object's status that belongs to a write: what it uses of a quota. */
export interface Booking {
  readonly group: string;
  readonly resource: string;
  readonly key: string;
  /** The object with the write counted in. */
  readonly charged: (object: JsonObject) => JsonObject;
  /** The object without it again, when the write failed after all. */
  readonly refunded: (object: JsonObject) => JsonObject;
}
