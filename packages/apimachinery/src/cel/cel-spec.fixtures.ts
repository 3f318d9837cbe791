// The public cases of CEL (npm: @bufbuild/cel-spec, from cel-spec and cel-go), as far as they need no protobuf messages.
import type { SerializedIncrementalTest, SerializedIncrementalTestSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import { decodeBase64 } from "@fairlead/base";

import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
  type CelType,
} from "./check/types.js";
import { ValueList } from "./value/list.js";
import { ValueMap } from "./value/map.js";
import { parseDuration, parseTimestamp } from "./value/time.js";
import { CelError, TypeValue, Uint, type Value } from "./value/value.js";

export interface SpecCase {
  readonly name: string;
  readonly expr: string;
  readonly test: SerializedIncrementalTest;
}

/** The cases of a suite with the names of the suites that they are in. */
export function casesOf(suite: SerializedIncrementalTestSuite, prefix = ""): readonly SpecCase[] {
  const name = prefix === "" ? suite.name : `${prefix}/${suite.name}`;
  return [
    ...(suite.tests ?? []).map((test) => ({
      name: `${name}/${test.original.name ?? test.original.expr}`,
      expr: test.original.expr,
      test,
    })),
    ...(suite.suites ?? []).flatMap((each) => casesOf(each, name)),
  ];
}

type Json = Readonly<Record<string, unknown>>;

/** A `cel.expr.Value` as JSON; undefined for a message. */
export function specValue(json: Json): Value | undefined {
  const [[kind, value] = ["", undefined]] = Object.entries(json);
  switch (kind) {
    case "int64Value":
      return BigInt(value as string);
    case "uint64Value":
      return new Uint(BigInt(value as string));
    case "doubleValue":
      return Number(value);
    case "boolValue":
    case "stringValue":
      return value as boolean | string;
    case "nullValue":
      return null;
    case "bytesValue":
      return decodeBase64(value as string);
    case "typeValue":
      return new TypeValue(value as string);
    case "listValue":
      return listValue((value as { values?: readonly Json[] }).values ?? []);
    case "mapValue":
      return mapValue((value as { entries?: readonly { key: Json; value: Json }[] }).entries ?? []);
    case "objectValue":
      return objectValue(value as Json);
    default:
      return undefined;
  }
}

function listValue(values: readonly Json[]): Value | undefined {
  const items = values.map(specValue);
  return items.includes(undefined) ? undefined : new ValueList(items as Value[]);
}

function mapValue(entries: readonly { readonly key: Json; readonly value: Json }[]): Value | undefined {
  const pairs = entries.map((entry) => [specValue(entry.key), specValue(entry.value)] as const);
  const map = pairs.flat().includes(undefined) ? undefined : ValueMap.of(pairs as readonly (readonly [Value, Value])[]);
  return map instanceof CelError ? undefined : map;
}

function objectValue(json: Json): Value | undefined {
  const text = String(json["value"]);
  switch (json["@type"]) {
    case "type.googleapis.com/google.protobuf.Duration":
      return parseDuration(text);
    case "type.googleapis.com/google.protobuf.Timestamp":
      return parseTimestamp(text) as Value | undefined;
    default:
      return undefined;
  }
}

const PRIMITIVES: Readonly<Record<string, CelType>> = {
  BOOL,
  BYTES,
  DOUBLE,
  INT64: INT,
  STRING,
  UINT64: UINT,
};

/** A `cel.expr.Type` as JSON; undefined for messages and wrappers. */
export function specType(json: Json): CelType | undefined {
  const [[kind, value] = ["", undefined]] = Object.entries(json);
  const inner = (part: unknown): CelType => specType((part ?? {}) as Json) ?? DYN;
  switch (kind) {
    case "primitive":
      return PRIMITIVES[value as string];
    case "dyn":
      return DYN;
    case "null":
      return NULL;
    case "listType":
      return listOf(inner((value as Json)["elemType"]));
    case "mapType":
      return mapOf(inner((value as Json)["keyType"]), inner((value as Json)["valueType"]));
    case "wellKnown":
      return value === "DURATION" ? DURATION : value === "TIMESTAMP" ? TIMESTAMP : undefined;
    case "type":
      return typeOf(inner(value));
    case "abstractType":
      return (value as Json)["name"] === "optional_type"
        ? optionalOf(inner((value as { parameterTypes?: readonly Json[] }).parameterTypes?.[0]))
        : undefined;
    default:
      return undefined;
  }
}
