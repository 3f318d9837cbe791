// How messages quote values of types that only the server has: with Go's field names, in order, zero values and all.
import { getOwn, isArray, isObject, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import { OBJECT_META_FIELDS, OWNER_REFERENCE_FIELDS } from "@fairlead/apimachinery";
import { shownMap } from "./access.js";
import { INTERNAL_TYPES } from "./internal-types.js";
import { selectorForm } from "./selector-rules.js";

/**
 * A value in the form of the server's internal type.
 *
 * @param type - `core.PodTemplateSpec`, or a type in the notation of internal-types.ts, e.g. `[]core.Container`.
 */
export function internalForm(value: JsonValue | undefined, type: string): JsonValue {
  return convert(value, type, parseTypes());
}

interface Field {
  readonly name: string;
  readonly embedded: boolean;
  readonly type: string;
}

type Types = ReadonlyMap<string, readonly Field[]>;

/** Only errors come here, so the table is read each time rather than kept. */
function parseTypes(): Types {
  const out = new Map<string, readonly Field[]>();
  for (const line of INTERNAL_TYPES.split("\n")) {
    const equals = line.indexOf(" = ");
    if (equals < 0) continue;
    out.set(
      line.slice(0, equals),
      line
        .slice(equals + 3)
        .split(" ")
        .map(parseField),
    );
  }
  return out;
}

function parseField(text: string): Field {
  const colon = text.indexOf(":");
  const name = text.slice(0, colon);
  return { name: name.replace(/^\^/, ""), embedded: name.startsWith("^"), type: text.slice(colon + 1) };
}

function convert(value: JsonValue | undefined, type: string, types: Types): JsonValue {
  const absent = value === undefined || value === null;
  if (type.startsWith("*")) return absent ? null : convert(value, type.slice(1), types);
  if (type.startsWith("[]")) return isArray(value) ? value.map((item) => convert(item, type.slice(2), types)) : null;
  if (type.startsWith("{}")) return isObject(value) ? mapForm(value, type.slice(2), types) : null;
  if (type === "s") return absent ? "" : value;
  if (type === "i" || type === "X") return absent ? 0 : value;
  if (type === "b") return value === true;
  if (type === "Q") return absent ? "0" : value;
  if (type === "L") return isObject(value) ? selectorForm(value) : null;
  const fields = types.get(type);
  if (fields === undefined) return absent ? null : value;
  return structForm(isObject(value) ? value : {}, fields, types);
}

function mapForm(value: JsonObject, type: string, types: Types): JsonValue {
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, convert(getOwn(value, key), type, types)]),
  );
}

function structForm(object: JsonObject, fields: readonly Field[], types: Types): JsonObject {
  const out: MutableJsonObject = {};
  for (const { name, embedded, type } of fields) {
    if (!embedded) {
      const holder = type === "*core.PodSecurityContext" ? withHostFields(object) : object;
      out[name] = convert(member(holder, name), type, types);
    } else if (name === "metadata") {
      if (isObject(object["metadata"])) Object.assign(out, metadataForm(object["metadata"]));
    } else Object.assign(out, convert(object, type.replace(/^\*/, ""), types));
  }
  return out;
}

/** The members that are there, in the order of Go's fields. */
function orderedForm(
  object: JsonObject,
  keys: readonly string[],
  form: (key: string, value: JsonValue) => JsonValue,
): JsonObject {
  const out: MutableJsonObject = {};
  for (const key of keys) {
    const value = getOwn(object, key);
    if (value !== undefined) out[key] = form(key, value);
  }
  return out;
}

function ownerForm(owner: JsonValue): JsonValue {
  return isObject(owner) ? orderedForm(owner, OWNER_REFERENCE_FIELDS, (_key, value) => value) : owner;
}

function metadataForm(metadata: JsonObject): JsonObject {
  return orderedForm(metadata, OBJECT_META_FIELDS, (key, value) =>
    isObject(value)
      ? shownMap(metadata, key)
      : key === "ownerReferences" && isArray(value)
        ? value.map(ownerForm)
        : value,
  );
}

/** The internal security context holds what stands in the pod's spec. */
function withHostFields(spec: JsonObject): JsonObject {
  const context = spec["securityContext"];
  if (!isObject(context)) return spec;
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  return { ...spec, securityContext: { ...context, hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } };
}

/** A member by Go's name, which differs from JSON's in case only. */
function member(object: JsonObject, name: string): JsonValue | undefined {
  const lower = name.toLowerCase();
  const key = Object.keys(object).find((each) => each.toLowerCase() === lower);
  return key === undefined ? undefined : object[key];
}
