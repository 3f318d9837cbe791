import { JsonLimitError, setOwn, type JsonValue, type MutableJsonObject } from "@fairlead/base";

import type { Alias, Collection, Node } from "./compose.js";
import { YamlError } from "./error.js";
import { formatKey, goSyntax, goValue } from "./go-syntax.js";
import { isInt64, jsonOf, resolveScalar, type Scalar } from "./scalar.js";

const MAX_DEPTH = 1000;
/** More than any object may hold. */
const MOST_TEXT_BY_ALIAS = 3 * 1024 * 1024;

/** How much one document may hold, with what its aliases repeat. */
export interface Bounds {
  readonly maxNodes: number;
  /** Of one mapping. */
  readonly maxKeys: number;
}

/** What a document becomes. */
export interface Decoded {
  readonly value: JsonValue;
  /** `line 7: key "image" already set in map`, one for each repeated key. */
  readonly duplicates: readonly string[];
}

/**
 * A document becomes JSON, as sigs.k8s.io/yaml does it: keys become text, merged mappings are copied where they stand, a
 * later key wins. What repeats by aliases is bounded as in the Go library: small documents may grow a hundredfold, and
 * the larger they are the less. (go-yaml v2: decode.go; sigs.k8s.io/yaml: yaml.go)
 *
 * @throws YamlError @throws JsonLimitError
 */
export function decode(root: Node, bounds: Bounds): Decoded {
  const decoder = new Decoder(bounds);
  const value = decoder.value(root, 0);
  if (decoder.refused !== undefined) throw new YamlError(decoder.refused);
  return { value, duplicates: decoder.duplicates };
}

class Decoder {
  readonly duplicates: string[] = [];
  /** The first thing that is YAML and cannot be JSON. Faults of the YAML come before it, wherever they stand. */
  refused: string | undefined;
  readonly #bounds: Bounds;
  readonly #entered = new Set<Node>();
  /** Nodes visited, the document included. */
  #visited = 1;
  #visitedByAlias = 0;
  #textByAlias = 0;
  /** Of JSON, so keys are none. */
  #values = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  value(node: Node, depth: number): JsonValue {
    this.#count(depth);
    if (node.kind !== "alias" && ++this.#values > this.#bounds.maxNodes)
      throw new JsonLimitError(`limit is ${this.#bounds.maxNodes} values`);
    switch (node.kind) {
      case "scalar":
        this.#countText(node.value);
        return this.#scalar(resolveScalar(node));
      case "alias":
        return this.#enter(node, () => this.value(node.target, depth + 1));
      case "sequence":
        return node.children.map((child) => this.value(child, depth + 1));
      case "mapping":
        return this.#mapping({}, new Set(), node, depth);
    }
  }

  #scalar(scalar: Scalar): JsonValue {
    if (scalar.type === "float" && !Number.isFinite(scalar.value)) {
      const name = Number.isNaN(scalar.value) ? "NaN" : scalar.value < 0 ? "-Inf" : "+Inf";
      this.refused ??= `json: unsupported value: ${name}`;
    }
    return jsonOf(scalar);
  }

  #count(depth: number): void {
    if (depth > MAX_DEPTH) throw new YamlError("yaml: exceeded max depth");
    this.#visited++;
    if (this.#entered.size > 0) this.#visitedByAlias++;
    if (this.#visitedByAlias <= 100 || this.#visited <= 1000) return;
    if (this.#visitedByAlias / this.#visited > allowedRatio(this.#visited))
      throw new YamlError("yaml: document contains excessive aliasing");
  }

  /** Texts that aliases repeat may be many though they count as one value each. */
  #countText(text: string): void {
    if (this.#entered.size === 0) return;
    this.#textByAlias += text.length;
    if (this.#textByAlias > MOST_TEXT_BY_ALIAS) throw new YamlError("yaml: document contains excessive aliasing");
  }

  #enter<T>(alias: Alias, visit: () => T): T {
    if (this.#entered.has(alias)) throw new YamlError(`yaml: anchor '${alias.name}' value contains itself`);
    this.#entered.add(alias);
    const result = visit();
    this.#entered.delete(alias);
    return result;
  }

  /** @param seen - The keys of `out` with their types: to YAML `1` and `"1"` are two keys. */
  #mapping(out: MutableJsonObject, seen: Set<string>, node: Collection, depth: number): MutableJsonObject {
    for (let i = 0; i + 1 < node.children.length; i += 2) {
      const [key, child] = node.children.slice(i, i + 2) as [Node, Node];
      if (isMerge(key)) {
        this.#merge(out, seen, child, depth + 1);
        continue;
      }
      const scalar = this.#key(key, depth + 1);
      const value = this.value(child, depth + 1);
      const name = this.#keyText(scalar, value);
      const identity = `${scalar.type} ${goValue(scalar)}`;
      if (seen.has(identity)) this.duplicates.push(`line ${child.line + 1}: key ${goValue(scalar)} already set in map`);
      seen.add(identity);
      if (seen.size > this.#bounds.maxKeys)
        throw new JsonLimitError(`limit is ${this.#bounds.maxKeys} keys in one object`);
      setOwn(out, name, value);
    }
    return out;
  }

  #key(node: Node, depth: number): Scalar {
    if (node.kind === "alias") {
      this.#count(depth);
      return this.#enter(node, () => this.#key(node.target, depth + 1));
    }
    if (node.kind !== "scalar") throw new YamlError(`yaml: invalid map key: ${goSyntax(this.value(node, depth))}`);
    this.#count(depth);
    return resolveScalar(node);
  }

  #keyText(key: Scalar, value: JsonValue): string {
    const text = formatKey(key);
    if (text !== undefined && !(key.type === "int" && !isInt64(key.value))) return text;
    const type = key.type === "null" ? "%!s(<nil>)" : "uint64";
    this.refused ??= `unsupported map key of type: ${type}, key: ${goValue(key)}, value: ${goSyntax(value)}`;
    return "";
  }

  #merge(out: MutableJsonObject, seen: Set<string>, node: Node, depth: number): void {
    if (node.kind === "sequence") {
      for (const child of [...node.children].reverse()) {
        if (child.kind === "sequence") throw wantsMapping();
        this.#merge(out, seen, child, depth + 1);
      }
      return;
    }
    const target = node.kind === "alias" ? node.target : node;
    if (target.kind !== "mapping") throw wantsMapping();
    this.#count(depth);
    if (node.kind !== "alias") this.#mapping(out, seen, target, depth);
    else
      this.#enter(node, () => {
        this.#count(depth + 1);
        return this.#mapping(out, seen, target, depth + 1);
      });
  }
}

function isMerge(node: Node): boolean {
  return node.kind === "scalar" && node.value === "<<" && (node.plain || node.tag === "tag:yaml.org,2002:merge");
}

function wantsMapping(): YamlError {
  return new YamlError("yaml: map merge requires map or sequence of maps as the value");
}

/** The share of visits that may come from aliases: 99 % up to 400,000 visits, falling to 10 % at 4,000,000. */
function allowedRatio(visited: number): number {
  const [low, high] = [400_000, 4_000_000];
  if (visited <= low) return 0.99;
  return visited >= high ? 0.1 : 0.99 - (0.89 * (visited - low)) / (high - low);
}
