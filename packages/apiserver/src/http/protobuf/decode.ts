// Request bodies in Kubernetes' protobuf encoding, as the JSON that the same client would have sent. Go's encoder writes
// every field that is no pointer, zero or not, so zero values of those are dropped here; pointers are kept as sent.
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import {
  FairleadError,
  parseJson,
  setOwn,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import { protobufMessages, type ProtobufField, type ProtobufMessages } from "./messages.js";

/** A body that is not protobuf of a known kind. */
export class ProtobufError extends FairleadError {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super("BadProtobuf", message, options);
  }
}

const MAGIC = [0x6b, 0x38, 0x73, 0x00];
const MAX_DEPTH = 100;
const MAX_FIELDS = 100_000;

let messages: ProtobufMessages | undefined;

/**
 * Decodes `k8s\0` and a runtime.Unknown that holds an object, options or a review.
 *
 * @throws ProtobufError for other bytes, and for kinds that have no field map.
 */
export function decodeProtobuf(bytes: Uint8Array): JsonObject {
  if (MAGIC.some((byte, i) => bytes[i] !== byte))
    throw new ProtobufError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  try {
    const { apiVersion, kind, raw } = readUnknown(bytes.subarray(MAGIC.length));
    // The field map is read once per process: it is a constant, in a form that is quick to search.
    messages ??= protobufMessages();
    const type = messageName(apiVersion, kind);
    if (messages.find(type) === undefined)
      throw new ProtobufError(
        `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
      );
    return {
      apiVersion,
      kind,
      ...readMessage(new BinaryReader(raw), { type, messages, depth: 0, budget: { left: MAX_FIELDS } }),
    };
  } catch (error) {
    if (error instanceof ProtobufError) throw error;
    throw new ProtobufError(`unable to decode protobuf: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

interface Unknown {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** runtime.Unknown {1 typeMeta {1 apiVersion, 2 kind}, 2 raw}. */
function readUnknown(bytes: Uint8Array): Unknown {
  let apiVersion = "";
  let kind = "";
  let raw: Uint8Array = new Uint8Array();
  each(new BinaryReader(bytes), (number, reader) => {
    if (number === 2) raw = reader.bytes();
    else if (number === 1) {
      each(new BinaryReader(reader.bytes()), (inner, meta) => {
        if (inner === 1) apiVersion = meta.string();
        else if (inner === 2) kind = meta.string();
        else return false;
        return true;
      });
    } else return false;
    return true;
  });
  return { apiVersion, kind, raw };
}

/** Calls back for each field; what it does not read is skipped. */
function each(reader: BinaryReader, read: (number: number, reader: BinaryReader, wire: WireType) => boolean): void {
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    if (!read(number, reader, wire)) reader.skip(wire, number);
  }
}

const META_KINDS: ReadonlySet<string> = new Set([
  "DeleteOptions",
  "Status",
  "CreateOptions",
  "UpdateOptions",
  "PatchOptions",
]);

/** `apps/v1 Deployment` is `api.apps.v1.Deployment`. */
function messageName(apiVersion: string, kind: string): string {
  if (META_KINDS.has(kind)) return `apis.meta.v1.${kind}`;
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "core" : (apiVersion.slice(0, slash).split(".")[0] ?? "");
  return `api.${group}.${apiVersion.slice(slash + 1)}.${kind}`;
}

interface Place {
  /** Fields that may still be read. */
  readonly budget: { left: number };
  readonly type: string;
  readonly messages: ProtobufMessages;
  readonly depth: number;
}

function readMessage(reader: BinaryReader, place: Place): MutableJsonObject {
  if (place.depth > MAX_DEPTH) throw new ProtobufError(`protobuf is nested more than ${MAX_DEPTH} deep`);
  const fields = place.messages.find(place.type);
  if (fields === undefined) throw new ProtobufError(`no message ${place.type} is known`);
  const out: MutableJsonObject = {};
  each(reader, (number, at, wire) => {
    const field = fields.get(number);
    if (field === undefined) return false;
    if (--place.budget.left < 0) throw new ProtobufError(`protobuf holds more than ${MAX_FIELDS} values`);
    readField(out, field, { reader: at, wire, place });
    return true;
  });
  return out;
}

interface FieldInput {
  readonly reader: BinaryReader;
  readonly wire: WireType;
  readonly place: Place;
}

function readField(out: MutableJsonObject, field: ProtobufField, { reader, wire, place }: FieldInput): void {
  const { name } = field;
  if (field.embedded) {
    Object.assign(
      out,
      readMessage(new BinaryReader(reader.bytes()), { ...place, type: field.type, depth: place.depth + 1 }),
    );
    return;
  }
  if (field.map) {
    const [key, value] = readEntry(new BinaryReader(reader.bytes()), field, place);
    setOwn(member(out, name), key, value);
    return;
  }
  if (!field.repeated) {
    const value = readValue(reader, field.type, place);
    if (field.pointer || !isZero(value)) setOwn(out, name, value);
    return;
  }
  const list = (out[name] ??= []) as JsonValue[];
  if (wire === WireType.LengthDelimited && field.type === "i") {
    const packed = new BinaryReader(reader.bytes());
    while (packed.pos < packed.len) list.push(readValue(packed, field.type, place));
  } else list.push(readValue(reader, field.type, place));
}

function member(object: MutableJsonObject, name: string): MutableJsonObject {
  return (object[name] ??= {}) as MutableJsonObject;
}

function readEntry(reader: BinaryReader, field: ProtobufField, place: Place): readonly [string, JsonValue] {
  let key = "";
  let value: JsonValue | undefined;
  each(reader, (number, at) => {
    if (number === 1) key = at.string();
    else if (number === 2) value = readValue(at, field.type, place);
    else return false;
    return true;
  });
  return [key, value ?? zeroOf(field.type)];
}

function zeroOf(type: string): JsonValue {
  if (type === "s" || type === "y") return "";
  if (type === "i" || type === "d" || type === "X") return 0;
  if (type === "b") return false;
  if (type === "Q") return "0";
  return type.length === 1 ? null : {};
}

function isZero(value: JsonValue): boolean {
  if (value === "" || value === 0 || value === false || value === null) return true;
  return typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0;
}

function readValue(reader: BinaryReader, type: string, place: Place): JsonValue {
  switch (type) {
    case "s":
      return reader.string();
    case "i":
      return integer(reader.int64());
    case "b":
      return reader.bool();
    case "d":
      return reader.double();
    case "y":
      return Buffer.from(reader.bytes()).toString("base64");
    case "Q":
      return readText(reader.bytes());
    case "X":
      return readIntOrString(reader.bytes());
    case "T":
      return readTime(reader.bytes(), 0);
    case "U":
      return readTime(reader.bytes(), 6);
    case "R":
    case "F":
    case "J":
      return readJson(reader.bytes());
    case "B":
    case "A":
    case "S":
      return readUnion(reader.bytes(), type, place);
    default:
      return readObject(reader.bytes(), type, place);
  }
}

/** A message; the lists that are messages of their own (ExtraValue) are lists. */
function readObject(bytes: Uint8Array, type: string, place: Place): JsonValue {
  const object = readMessage(new BinaryReader(bytes), { ...place, type, depth: place.depth + 1 });
  return type.endsWith(".ExtraValue") ? (object["items"] ?? []) : object;
}

function integer(value: bigint | string): number | bigint {
  const wide = BigInt(value);
  return Number.isSafeInteger(Number(wide)) ? Number(wide) : wide;
}

/** Quantity {1 string}. */
function readText(bytes: Uint8Array): string {
  let text = "";
  each(new BinaryReader(bytes), (number, reader) => {
    if (number !== 1) return false;
    text = reader.string();
    return true;
  });
  return text === "" ? "0" : text;
}

/** IntOrString {1 type: 0 int, 1 string; 2 int; 3 string}. */
function readIntOrString(bytes: Uint8Array): JsonValue {
  let isText = false;
  let number: JsonValue = 0;
  let text = "";
  each(new BinaryReader(bytes), (field, reader) => {
    if (field === 1) isText = reader.int32() === 1;
    else if (field === 2) number = reader.int32();
    else if (field === 3) text = reader.string();
    else return false;
    return true;
  });
  return isText ? text : number;
}

/** Time {1 seconds, 2 nanos}; an empty message is null. */
function readTime(bytes: Uint8Array, digits: 0 | 6): JsonValue {
  if (bytes.length === 0) return null;
  let seconds = 0;
  let nanos = 0;
  each(new BinaryReader(bytes), (field, reader) => {
    if (field === 1) seconds = Number(reader.int64());
    else if (field === 2) nanos = reader.int32();
    else return false;
    return true;
  });
  const time = new Date(seconds * 1000).toISOString().slice(0, 19);
  return digits === 0 ? `${time}Z` : `${time}.${String(Math.trunc(nanos / 1000)).padStart(6, "0")}Z`;
}

/** RawExtension, FieldsV1, JSON {1 raw}: JSON inside bytes. */
function readJson(bytes: Uint8Array): JsonValue {
  let raw: Uint8Array = new Uint8Array();
  each(new BinaryReader(bytes), (number, reader) => {
    if (number !== 1) return false;
    raw = reader.bytes();
    return true;
  });
  return raw.length === 0 ? null : parseJson(Buffer.from(raw).toString("utf8"));
}

/** `schema or bool` {1 bool, 2 schema}, `schema or schemas` {1 schema, 2 schemas}, `schema or strings` {1 schema, 2 strings}. */
function readUnion(bytes: Uint8Array, type: "A" | "B" | "S", place: Place): JsonValue {
  let single: JsonValue | undefined;
  let allows = false;
  const list: JsonValue[] = [];
  const schema = (reader: BinaryReader): JsonValue =>
    readObject(reader.bytes(), "api.apiextensions.v1.JSONSchemaProps", place);
  each(new BinaryReader(bytes), (number, reader) => {
    if (number === 1 && type === "B") allows = reader.bool();
    else if (number === (type === "B" ? 2 : 1)) single = schema(reader);
    else if (number === 2) list.push(type === "A" ? schema(reader) : reader.string());
    else return false;
    return true;
  });
  return single ?? (type === "B" ? allows : list);
}
