import type { FieldError } from "../validation/field-error.js";

/** An error, with the message that tells two apart. */
export interface SchemaError {
  readonly message: string;
  readonly error: FieldError;
}
