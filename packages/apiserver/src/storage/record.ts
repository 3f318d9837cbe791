import { parseJson, type JsonObject } from "@fairlead/base";

import type { Record } from "./storage.js";

const texts = new WeakMap<JsonObject, string>();

/** The JSON of an object that is, or was, a record's; undefined for any other. Records' objects never change. */
export function storedText(object: JsonObject): string | undefined {
  return texts.get(object);
}

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
    if (object !== undefined) texts.set(object, text);
  }

  get object(): JsonObject {
    if (this.#object === undefined) {
      this.#object = parseJson(this.text) as JsonObject;
      texts.set(this.#object, this.text);
    }
    return this.#object;
  }
}
