// Paths from a value to a field of it: `.spec.replicas`, `['a b'].c` (apiextensions-apiserver: ValidFieldPath).
import type { Schema } from "../../schema/schema.js";

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

/** The path as errors spell it, `a.b[key]`; undefined for one that does not lead to a field of the schema. */
export function normalFieldPath(path: string, schema: Schema): string | undefined {
  const tokens = path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+|'/g) ?? [];
  let at: Schema = schema;
  let out = "";
  for (let i = 0; i < tokens.length; i++) {
    const bracket = tokens[i] === "[";
    if (!bracket && tokens[i] !== ".") return undefined;
    const token = tokens[++i];
    if (token === undefined || (bracket && !/^'[^]*'$/.test(token))) return undefined;
    const name = bracket ? unescaped(token.slice(1, -1)) : token;
    const values = at.additionalProperties;
    const next =
      at.properties === undefined ? (typeof values === "object" ? values : undefined) : at.properties.get(name);
    if (next === undefined || (bracket && tokens[++i] !== "]")) return undefined;
    out += at.properties === undefined ? `[${name}]` : `${out === "" ? "" : "."}${name}`;
    at = next;
  }
  return out;
}

function unescaped(text: string): string {
  return text.replace(/\\([^])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}
