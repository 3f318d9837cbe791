import { parseJson, type JsonObject } from "@fairlead/base";

import type { Record } from "./storage.js";

/** A record whose object is read from its text when somebody asks for it, and then kept: one object per record. */
export class StoredRecord implements Record {
  readonly key: string;
  readonly revision: number;
  readonly text: string;
  #object: JsonObject | undefined;

  constructor(at: { readonly key: string; readonly revision: number }, text: string, object?: JsonObject) {
    this.key = at.key;
    this.revision = at.revision;
    this.text = text;
    this.#object = object;
  }

  get object(): JsonObject {
    return (this.#object ??= parseJson(this.text) as JsonObject);
  }
}
