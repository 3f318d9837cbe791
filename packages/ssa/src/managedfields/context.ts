import { FairleadError, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import { formatGroupVersion, goForm, type GroupVersionKind, type Schema } from "@fairlead/apimachinery";

import type { FieldSet } from "../fieldpath/field-set.js";
import type { MergeContext, TypedObject } from "../merge/context.js";
import type { EmptiedContainer } from "../typed/remove.js";
import { TypeCache, type Type } from "../typed/type.js";
import { validateTyped } from "../typed/validate.js";

/** What the field manager must know of the endpoint that a request came to. Built once per endpoint, but for `now`. */
export interface ManagerContext {
  readonly gvk: GroupVersionKind;
  /** The schema of the kind in a version; undefined for a version that is not served (any more). */
  readonly schemaFor: (apiVersion: string) => Schema | undefined;
  /** The object in another version; nothing is pruned, so it need not fit that version's schema. May throw DecodeError. */
  readonly convert: (object: JsonObject, apiVersion: string) => JsonObject;
  /** `""` for the main resource. */
  readonly subresource: string;
  /** Paths that this endpoint resets, so nobody owns them through it: of `gvk`'s version, or by apiVersion. */
  readonly resetFields?: FieldSet | ReadonlyMap<string, FieldSet>;
  readonly builtin: boolean;
  /**
   * What decoding and defaulting make of an applied object; changes the object it is handed, which is a copy. May throw
   * DecodeError where the schema accepts what the decoder does not.
   */
  readonly applyDefaults: (object: MutableJsonObject) => void;
  /** RFC 3339 in UTC with whole seconds. */
  readonly now: string;
  /** Compiled types; hold one per server. Without it each call compiles what it needs anew. */
  readonly types?: TypeCache;
  /** What a new object is compared with. By default the zero value of the Go type for built-in kinds, else nothing. */
  readonly emptyObject?: JsonObject;
  /** What a container keeps when its last child is removed; `empty` by default, as Kubernetes 1.36.0 to 1.36.2. */
  readonly emptied?: EmptiedContainer;
}

/** An applied object that passes the schema but not the decoder. The message is the decoder's own. */
export class DecodeError extends FairleadError {
  constructor(message: string) {
    super("Decode", message);
  }
}

/** One request's view of a ManagerContext. */
export interface Endpoint extends MergeContext {
  readonly context: ManagerContext;
  readonly apiVersion: string;
  readonly cache: TypeCache;
  /** The object with its type; `memo` is a stored object that it was made of. @throws TypedError */
  readonly typed: (
    value: JsonObject,
    options: { readonly allowDuplicates: boolean; readonly memo?: JsonObject },
  ) => TypedObject;
  /** What a creation is compared with. */
  readonly empty: () => TypedObject;
}

/** Prepares a context for one request. */
export function endpointOf(context: ManagerContext): Endpoint {
  const apiVersion = formatGroupVersion(context.gvk);
  const cache = context.types ?? new TypeCache();
  const typeIn = (version: string): Type | undefined => {
    const schema = context.schemaFor(version);
    return schema === undefined ? undefined : cache.objectType(schema, { builtin: context.builtin });
  };
  const typed: Endpoint["typed"] = (value, { allowDuplicates, memo }) => {
    const type = typeIn(apiVersion);
    if (type === undefined) throw new DecodeError(`no corresponding type for ${apiVersion}, Kind=${context.gvk.kind}`);
    if (memo !== undefined && cache.checked.get(memo) === type) return { value, type, apiVersion };
    const { hasNull } = validateTyped(value, type, { allowDuplicates });
    if (memo !== undefined) cache.checked.set(memo, type);
    return { value, type, apiVersion, hasNull };
  };
  return {
    context,
    apiVersion,
    cache,
    typed,
    empty: () => typed(emptyObjectOf(context, apiVersion), { allowDuplicates: true }),
    emptied: context.emptied ?? "empty",
    reconciled: cache.reconciled,
    ignored: (version) => ignoredIn(context, apiVersion, version),
    convert: converter(context, typeIn),
  };
}

/** Conversions of one request; each object is converted to each version once. */
function converter(context: ManagerContext, typeIn: (version: string) => Type | undefined): MergeContext["convert"] {
  let known: WeakMap<JsonObject, Map<string, TypedObject>> | undefined;
  return (object, version) => {
    if (object.apiVersion === version) return object;
    const type = typeIn(version);
    if (type === undefined) return undefined;
    known ??= new WeakMap();
    const versions = known.get(object.value) ?? new Map<string, TypedObject>();
    const done = versions.get(version);
    if (done !== undefined) return done;
    const value = context.convert(object.value, version);
    validateTyped(value, type, { allowDuplicates: false });
    const converted = { value, type, apiVersion: version };
    known.set(object.value, versions.set(version, converted));
    return converted;
  };
}

function ignoredIn(context: ManagerContext, own: string, version: string): FieldSet | undefined {
  const { resetFields } = context;
  if (resetFields === undefined) return undefined;
  if (resetFields instanceof Map) return (resetFields as ReadonlyMap<string, FieldSet>).get(version);
  return version === own ? (resetFields as FieldSet) : undefined;
}

function emptyObjectOf(context: ManagerContext, apiVersion: string): JsonObject {
  const { kind } = context.gvk;
  if (context.emptyObject !== undefined) return { ...context.emptyObject, apiVersion, kind };
  const schema = context.builtin ? context.schemaFor(apiVersion) : undefined;
  const empty: MutableJsonObject = { apiVersion, kind };
  if (schema !== undefined) goForm(empty, schema);
  return empty;
}
