import { cloneJson, getOwn, isArray, type JsonArray, type JsonObject, type JsonValue } from "@fairlead/base";
import type { Schema } from "@fairlead/apimachinery";

import { encodeFieldsV1 } from "../fieldpath/fields-v1.js";
import { types, widgetSchema } from "../typed/schema.fixtures.js";
import { applyConfiguration } from "./apply.js";
import type { ManagerContext } from "./context.js";
import { decodeManagedFields } from "./entries.js";
import { parseIdentity } from "./identity.js";
import { managedFieldsOf } from "./metadata.js";
import { trackUpdate } from "./update.js";

export type ContextChange = Partial<ManagerContext> & { readonly schema?: Schema };

/** The main endpoint of `Widget` in `lab.dev/v1`; `change` makes it another. */
export function context({ schema = widgetSchema, ...change }: ContextChange = {}): ManagerContext {
  return {
    gvk: { group: "lab.dev", version: "v1", kind: "Widget" },
    schemaFor: (apiVersion) => (apiVersion === "lab.dev/v1" ? schema : undefined),
    convert: (object, apiVersion) => ({ ...object, apiVersion }),
    subresource: "",
    builtin: false,
    applyDefaults: () => undefined,
    now: "2026-01-01T00:00:00Z",
    types,
    ...change,
  };
}

/** A stored object and the calls that change it; each call is a second later than the one before. */
export class Lab {
  object: JsonObject | undefined;
  #seconds = 0;
  readonly #change: ContextChange;

  constructor(change: ContextChange = {}) {
    this.#change = change;
  }

  /** Applies a specification, or a whole object that has an apiVersion. */
  apply(manager: string, config: JsonObject, options: { readonly force?: boolean } & ContextChange = {}): JsonObject {
    const { force = false, ...change } = options;
    const body = Object.hasOwn(config, "apiVersion")
      ? config
      : { apiVersion: "lab.dev/v1", kind: "Widget", metadata: { name: "w" }, spec: config };
    return this.#store(applyConfiguration(this.#context(change), { live: this.object, config: body, manager, force }));
  }

  /** Puts what a function makes of a copy of the object. */
  update(manager: string, edit: (object: JsonObject) => JsonObject, change: ContextChange = {}): JsonObject {
    const next = edit(cloneJson(this.object ?? { apiVersion: "lab.dev/v1", kind: "Widget", metadata: { name: "w" } }));
    return this.#store(trackUpdate(this.#context(change), { live: this.object, next, manager }));
  }

  /** Puts another specification. */
  put(manager: string, spec: JsonObject): JsonObject {
    return this.update(manager, (object) => ({ ...object, spec }));
  }

  get spec(): JsonValue | undefined {
    return this.object === undefined ? undefined : getOwn(this.object, "spec");
  }

  /** `{"a/Apply": fields below spec, "u/Update@status": …}`; entries without fields below spec show them all. */
  get owners(): Readonly<Record<string, JsonValue>> {
    return ownersOf(this.object);
  }

  /** `time` of each manager, as seconds of the lab; undefined where an entry has none. */
  get times(): Readonly<Record<string, number | undefined>> {
    const entries = this.object === undefined ? undefined : managedFieldsOf(this.object);
    const times = ((isArray(entries) ? entries : []) as readonly JsonObject[]).map((entry) => {
      const time = entry["time"];
      return [String(entry["manager"]), typeof time === "string" ? Number(time.slice(-3, -1)) : undefined] as const;
    });
    return Object.fromEntries(times);
  }

  #context(change: ContextChange): ManagerContext {
    const now = `2026-01-01T00:00:${String(++this.#seconds).padStart(2, "0")}Z`;
    return context({ now, ...this.#change, ...change });
  }

  #store(object: JsonObject): JsonObject {
    const metadata = object["metadata"] as JsonObject;
    this.object = Object.hasOwn(metadata, "uid") ? object : { ...object, metadata: { ...metadata, uid: "u-1" } };
    return this.object;
  }
}

export function ownersOf(object: JsonObject | undefined): Readonly<Record<string, JsonValue>> {
  if (object === undefined) return {};
  const { managers } = decodeManagedFields(managedFieldsOf(object));
  const owners: Record<string, JsonValue> = {};
  for (const [key, { set }] of managers) {
    const { manager, operation, subresource } = parseIdentity(key);
    const fields = encodeFieldsV1(set);
    owners[`${manager}/${operation}${subresource === "" ? "" : `@${subresource}`}`] =
      Object.keys(fields).join() === "f:spec" ? (fields["f:spec"] as JsonValue) : fields;
  }
  return owners;
}

/** managedFields of an object as a list. */
export function entriesOf(object: JsonObject | undefined): JsonArray {
  const entries = object === undefined ? undefined : managedFieldsOf(object);
  return isArray(entries) ? entries : [];
}
