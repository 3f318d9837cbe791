import { composeDocuments } from "./compose.js";
import { decode, type Bounds, type Decoded } from "./decode.js";
import { readJson } from "./json-text.js";
import { sourceOf } from "./source.js";

export { YamlError } from "./error.js";

/**
 * YAML as Kubernetes reads it: YAML 1.1 by the rules of the Go library behind sigs.k8s.io/yaml (booleans such as `y` and
 * `off`, octal `010`, no sexagesimal numbers, dates that stay text), keys turned into text, and that library's messages.
 */
export type YamlBody = Decoded;

export interface YamlOptions {
  /** Values of one document at most, with what its aliases repeat; 2,000,000 by default. */
  readonly maxNodes?: number;
  /** Keys of one mapping at most; as many as values by default. */
  readonly maxKeys?: number;
  /** Values of a text that is JSON, which is read many times faster, at most; as many as of others by default. */
  readonly maxNodesOfJson?: number;
}

const MAX_NODES = 2_000_000;

/**
 * Reads the first document, whatever follows it; null when there is none.
 *
 * @param input - Text; or bytes, of UTF-8, or of UTF-16 where they begin with a byte order mark.
 * @throws YamlError @throws JsonLimitError
 */
export function parseYaml(input: string | Uint8Array, options: YamlOptions = {}): YamlBody {
  const bounds = boundsOf(options);
  const source = sourceOf(input);
  const json = readJson(source.text, { ...bounds, maxNodes: options.maxNodesOfJson ?? bounds.maxNodes });
  if (json !== undefined) return { value: json, duplicates: [] };
  for (const root of composeDocuments(source, bounds.maxNodes)) return decode(root, bounds);
  return { value: null, duplicates: [] };
}

/** Reads every document; an empty one is null. @throws YamlError @throws JsonLimitError */
export function parseYamlDocuments(input: string | Uint8Array, options: YamlOptions = {}): readonly YamlBody[] {
  const bounds = boundsOf(options);
  return Array.from(composeDocuments(sourceOf(input), bounds.maxNodes), (root) => decode(root, bounds));
}

function boundsOf({ maxNodes = MAX_NODES, maxKeys = maxNodes }: YamlOptions): Bounds {
  return { maxNodes, maxKeys };
}
