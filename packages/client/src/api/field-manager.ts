import { FairleadError } from "@fairlead/base";
import type { Brand } from "@fairlead/apimachinery";

/** Who owns fields, in managedFields: non-empty, printable, at most 128 bytes; passed on byte for byte. */
export type FieldManager = Brand<string, "FieldManager">;

/** A name that the server would refuse as a field manager, or none where one is needed. */
export class FieldManagerError extends FairleadError {
  constructor(message: string) {
    super("FieldManager", message);
  }
}

/**
 * Checks a field manager's name once (apimachinery: pkg/apis/meta/v1/validation).
 *
 * @throws FieldManagerError when it is empty, longer than 128 bytes or not printable.
 */
export function fieldManager(name: string): FieldManager {
  if (name === "") throw new FieldManagerError("A field manager needs a name; give the controller's");
  if (utf8.encode(name).length > 128) throw new FieldManagerError(`Field manager ${name} is longer than 128 bytes`);
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(name)) {
    throw new FieldManagerError(`Field manager ${JSON.stringify(name)} holds characters that are not printable`);
  }
  return name as FieldManager;
}

const utf8 = new TextEncoder();
