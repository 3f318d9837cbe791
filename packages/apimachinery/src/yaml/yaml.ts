import {
  decodeBase64,
  decodeUtf8,
  FairleadError,
  getOwn,
  isObject,
  setOwn,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  type Document,
  type Node,
  type Pair,
  type Scalar,
} from "yaml";

/**
 * YAML as Kubernetes reads it: YAML 1.1 by the rules of the Go library behind sigs.k8s.io/yaml (booleans such as `y` and
 * `off`, octal `010`, no sexagesimal numbers, no dates), the first document only, keys turned into strings. The `yaml`
 * package parses; what a plain scalar means is decided here. Aliases are bounded, so a small body cannot become a big one.
 */
export interface YamlBody {
  readonly value: JsonValue;
  /** `line 7: key "image" already set in map`, one for each repeated key. */
  readonly duplicates: readonly string[];
}

/** Text that is no YAML; the message is the Go library's as far as it can be known. */
export class YamlError extends FairleadError {
  constructor(message: string) {
    super("YamlSyntax", message);
  }
}

const MAX_NODES = 200_000;
const MAX_DEPTH = 1000;

/** Reads the first document. @throws YamlError */
export function parseYaml(text: string): YamlBody {
  return parseYamlDocuments(text, 1)[0] ?? { value: null, duplicates: [] };
}

/** Reads every document, or the first `limit`; an empty one is null. @throws YamlError */
export function parseYamlDocuments(text: string, limit: number = Infinity): readonly YamlBody[] {
  const documents = parseAllDocuments(text, {
    version: "1.1",
    schema: "failsafe",
    uniqueKeys: false,
    merge: false,
    logLevel: "silent",
    keepSourceTokens: false,
  });
  if (!Array.isArray(documents)) return [];
  return documents.slice(0, limit).map((document) => {
    const error = document.errors[0];
    if (error !== undefined)
      throw new YamlError(`yaml: ${goMessage(error.code, error.linePos?.[0].line, error.message)}`);
    return new Reader(document, text).read();
  });
}

class Reader {
  readonly #document: Document;
  readonly #text: string;
  readonly #duplicates: string[] = [];
  #nodes = 0;

  constructor(document: Document, text: string) {
    this.#document = document;
    this.#text = text;
  }

  read(): YamlBody {
    const value = this.#value(this.#document.contents, 0);
    return { value, duplicates: this.#duplicates };
  }

  #value(node: Node | null, depth: number): JsonValue {
    if (++this.#nodes > MAX_NODES || depth > MAX_DEPTH)
      throw new YamlError("yaml: document contains excessive aliasing");
    if (node === null) return null;
    if (isAlias(node)) {
      const target = node.resolve(this.#document);
      if (target === undefined) throw new YamlError(`yaml: unknown anchor '${node.source}' referenced`);
      return this.#value(target, depth + 1);
    }
    if (isMap(node)) return this.#map(node.items as Pair<Node, Node | null>[], depth);
    if (isSeq(node)) return node.items.map((item) => this.#value(item as Node | null, depth + 1));
    return isScalar(node) ? scalarValue(node) : null;
  }

  #map(items: readonly Pair<Node, Node | null>[], depth: number): JsonValue {
    const out: MutableJsonObject = {};
    const merged: Node[] = [];
    for (const { key, value } of items) {
      if (isScalar(key) && key.source === "<<" && key.type === "PLAIN" && key.tag === undefined) {
        if (value !== null) merged.push(value);
        continue;
      }
      const name = this.#key(key, value, depth);
      if (Object.hasOwn(out, name)) this.#duplicate(key, name);
      setOwn(out, name, this.#value(value, depth + 1));
    }
    for (const node of merged) this.#merge(out, node, depth);
    return out;
  }

  #merge(into: MutableJsonObject, node: Node, depth: number): void {
    const value = this.#value(node, depth + 1);
    for (const source of Array.isArray(value) ? value : [value]) {
      if (!isObject(source)) throw new YamlError("yaml: map merge requires map or sequence of maps as the value");
      for (const key of Object.keys(source)) {
        if (Object.hasOwn(into, key)) this.#duplicate(node, key);
        else setOwn(into, key, getOwn(source, key) as JsonValue);
      }
    }
  }

  #key(key: Node | null, value: Node | null, depth: number): string {
    const read = this.#value(key, depth + 1);
    if (typeof read === "string") return read;
    if (typeof read === "number" || typeof read === "boolean" || typeof read === "bigint") return String(read);
    if (read === null) {
      throw new YamlError(
        `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${goSyntax(this.#value(value, depth + 1))}`,
      );
    }
    throw new YamlError(`yaml: invalid map key: ${goSyntax(read)}`);
  }

  #duplicate(node: Node | null, name: string): void {
    const offset = node?.range?.[0] ?? 0;
    const line = this.#text.slice(0, offset).split("\n").length;
    this.#duplicates.push(`line ${line}: key ${JSON.stringify(name)} already set in map`);
  }
}

function scalarValue(node: Scalar): JsonValue {
  const source = typeof node.value === "string" ? node.value : (node.source ?? "");
  switch (node.tag) {
    case undefined:
      return node.type === "PLAIN" ? plainValue(source) : source;
    case "tag:yaml.org,2002:str":
      return source;
    case "tag:yaml.org,2002:binary":
      return decodeUtf8(decodeBase64(source) ?? new Uint8Array());
    case "tag:yaml.org,2002:int":
    case "tag:yaml.org,2002:float":
    case "tag:yaml.org,2002:bool":
    case "tag:yaml.org,2002:null":
      return plainValue(source);
    default:
      return source;
  }
}

const TRUE = new Set(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"]);
const FALSE = new Set(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"]);
const NULL = new Set(["", "~", "null", "Null", "NULL"]);
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;

/** What a plain scalar means (go-yaml v2: resolve.go). */
function plainValue(text: string): JsonValue {
  if (NULL.has(text)) return null;
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  if (!/^[-+.0-9]/.test(text)) return text;
  const integer = integerValue(text.replaceAll("_", ""));
  if (integer !== undefined) return integer;
  const digits = text.replaceAll("_", "");
  if (FLOAT.test(digits) && Number.isFinite(Number(digits))) return Number(digits);
  if (/^[-+]?\.(inf|Inf|INF)$/.test(text))
    throw new YamlError(`json: unsupported value: ${text.startsWith("-") ? "-" : "+"}Inf`);
  if (/^\.(nan|NaN|NAN)$/.test(text)) throw new YamlError("json: unsupported value: NaN");
  return text;
}

/** Decimal, `0x`, `0b`, `0o` and leading-zero octal integers; undefined for anything else. */
function integerValue(text: string): number | bigint | undefined {
  const match = /^([-+]?)(0x[0-9a-fA-F]+|0b[01]+|0o[0-7]+|0[0-7]+|[0-9]+)$/.exec(text);
  if (match === null) return undefined;
  const [, sign = "", digits = ""] = match;
  if (/^0[0-9]+$/.test(digits) && !/^0[0-7]+$/.test(digits)) return undefined;
  const magnitude = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === "-" ? -magnitude : magnitude;
  if (value < -(2n ** 63n) || value >= 2n ** 63n) return Number(value);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** A value as Go's %#v prints what the YAML library made of it. */
function goSyntax(value: JsonValue): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (isObject(value))
    return `map[interface {}]interface {}{${Object.keys(value)
      .map((k) => `${JSON.stringify(k)}:${goSyntax(value[k] as JsonValue)}`)
      .join(", ")}}`;
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** The Go library's words for the parser's error codes. */
function goMessage(code: string, line: number | undefined, message: string): string {
  const at = `line ${line ?? 1}: `;
  switch (code) {
    case "TAB_AS_INDENT":
      return `${at}found character that cannot start any token`;
    case "BAD_INDENT":
    case "BLOCK_IN_FLOW":
      return message.includes("flow") ? `${at}did not find expected ',' or '}'` : `${at}did not find expected key`;
    case "MISSING_CHAR":
      return `${at}did not find expected ',' or '}'`;
    default:
      return `${at}${message.split("\n")[0] ?? ""}`;
  }
}
