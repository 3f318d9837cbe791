// The schemas of the built-in kinds. The generated table is JSON: type name -> {g: group, version, kind; a: map type;
// r: required; p: fields}. A field is its type, or {t: type; l: list type; k: list map keys; a: map type; s: patch
// strategies; m: patch merge key; e: enum; d: default}. A type is `[]` or `{}` and a type, a letter, or a name; its last
// character may tell its presence (`+` always, `!` pointer, `~` nullable pointer).
//
// The table is parsed when the first kind is asked for, and each type is built when something refers to it. Types may
// refer to themselves (JSONSchemaProps): a type stands in the memo before its properties are filled in.
import { BUILTIN_TYPES } from "../generated/types.js";
import type { GroupVersionKind } from "../gvk/gvk.js";
import type { Presence, Schema } from "./schema.js";

/** The schemas of the built-in kinds, built on demand and then kept. */
export interface BuiltinSchemas {
  /** The schema of a type, by a name like `core.v1.PodSpec`; undefined when there is none. */
  find(typeName: string): Schema | undefined;
  /** The name of a kind's type; undefined when there is none. */
  typeName(kind: GroupVersionKind): string | undefined;
}

/** A new, empty set of built-in schemas: the table is parsed at first use. */
export function builtinSchemas(): BuiltinSchemas {
  let table: Readonly<Record<string, TypeEntry>> | undefined;
  let kinds: ReadonlyMap<string, string> | undefined;
  const built = new Map<string, Schema>();
  const types = (): Readonly<Record<string, TypeEntry>> =>
    (table ??= JSON.parse(BUILTIN_TYPES) as Record<string, TypeEntry>);
  const find = (name: string): Schema | undefined => {
    const known = built.get(name);
    if (known !== undefined) return known;
    const entry = Object.hasOwn(types(), name) ? types()[name] : undefined;
    if (entry === undefined) return undefined;
    const properties = new Map<string, Schema>();
    const schema: Schema = {
      type: "object",
      typeName: name,
      properties,
      ...(entry.r === undefined ? {} : { required: entry.r }),
      ...(entry.a === undefined ? {} : { mapType: entry.a }),
    };
    built.set(name, schema);
    for (const [key, field] of Object.entries(entry.p)) properties.set(key, fieldSchema(field, find));
    return schema;
  };
  return {
    find,
    typeName(kind) {
      kinds ??= kindIndex(types());
      return kinds.get(`${kind.group}/${kind.version}/${kind.kind}`);
    },
  };
}

const shared: BuiltinSchemas = builtinSchemas();

/**
 * The schema of a built-in type by a name like `apps.v1.Deployment` or `core.v1.PodSpec`. The same name always gives the
 * same object.
 *
 * @throws RangeError when there is no such type.
 */
export function builtinSchema(typeName: string): Schema {
  const schema = shared.find(typeName);
  if (schema === undefined) throw new RangeError(`There is no built-in type ${typeName}.`);
  return schema;
}

/** The name of the type of a built-in kind, for builtinSchema; undefined when the kind is not built in. */
export function builtinTypeName(kind: GroupVersionKind): string | undefined {
  return shared.typeName(kind);
}

interface TypeEntry {
  readonly g?: readonly [group: string, version: string, kind: string];
  readonly a?: "granular" | "atomic";
  readonly r?: readonly string[];
  readonly p: Readonly<Record<string, FieldEntry>>;
}

type FieldEntry = string | FieldFacts;

interface FieldFacts {
  readonly t: string;
  readonly l?: "atomic" | "set" | "map";
  readonly k?: readonly string[];
  readonly a?: "granular" | "atomic";
  readonly s?: readonly ("merge" | "replace" | "retainKeys")[];
  readonly m?: string;
  readonly e?: readonly string[];
  readonly d?: string | number | boolean;
}

const PRESENCE: Readonly<Record<string, Presence>> = { "+": "always", "!": "pointer", "~": "nullablePointer" };

const SCALARS: Readonly<Record<string, Schema>> = {
  s: { type: "string" },
  i: { type: "integer", format: "int32" },
  l: { type: "integer", format: "int64" },
  n: { type: "number", format: "double" },
  b: { type: "boolean" },
  y: { type: "string", format: "byte" },
  T: { type: "string", format: "date-time" },
  U: { type: "string", format: "micro-time" },
  Q: { format: "quantity", intOrString: true },
  X: { format: "int-or-string", intOrString: true },
  R: { untypedAtomic: true, preserveUnknownFields: true },
  F: { type: "object", preserveUnknownFields: true },
  J: { preserveUnknownFields: true },
};

const ZEROS: ReadonlyMap<Schema["type"], string | number | boolean> = new Map<
  Schema["type"],
  string | number | boolean
>([
  ["string", ""],
  ["integer", 0],
  ["number", 0],
  ["boolean", false],
]);

function fieldSchema(field: FieldEntry, find: (name: string) => Schema | undefined): Schema {
  const facts: FieldFacts = typeof field === "string" ? { t: field } : field;
  const presence = PRESENCE[facts.t.slice(-1)];
  const base = typeSchema(presence === undefined ? facts.t : facts.t.slice(0, -1), find);
  const zero =
    presence === "always" && base.format !== "date-time" && base.format !== "micro-time"
      ? ZEROS.get(base.type)
      : undefined;
  const value = facts.d ?? zero;
  return {
    ...base,
    presence: presence ?? "omitEmpty",
    ...(facts.l === undefined ? {} : { listType: facts.l }),
    ...(facts.k === undefined ? {} : { listMapKeys: facts.k }),
    ...(facts.a === undefined ? {} : { mapType: facts.a }),
    ...(facts.s === undefined ? {} : { patchStrategy: facts.s }),
    ...(facts.m === undefined ? {} : { patchMergeKey: facts.m }),
    ...(facts.e === undefined ? {} : { enum: facts.e }),
    ...(value === undefined ? {} : { default: value }),
  };
}

function typeSchema(token: string, find: (name: string) => Schema | undefined): Schema {
  if (token.startsWith("[]")) return { type: "array", items: typeSchema(token.slice(2), find) };
  if (token.startsWith("{}")) return { type: "object", additionalProperties: typeSchema(token.slice(2), find) };
  const schema = token.length === 1 ? SCALARS[token] : find(token);
  if (schema === undefined) throw new RangeError(`The table of built-in types names ${token}, which it does not have.`);
  return schema;
}

function kindIndex(types: Readonly<Record<string, TypeEntry>>): ReadonlyMap<string, string> {
  const out = new Map<string, string>();
  for (const [name, { g }] of Object.entries(types)) if (g !== undefined) out.set(g.join("/"), name);
  return out;
}
