import { FairleadError, getOwn, isArray, isObject, type JsonValue } from "@fairlead/base";

/**
 * The part of Kubernetes' JSONPath that printer columns, selectable fields and scale paths use: `.a.b`, `['key']`,
 * `[0]`, `[-1]`, `[1:3]`, `[*]`, `.*`, and filters `[?(@.type=="Ready")]`. Compiled once, then applied to many objects.
 * (client-go: util/jsonpath; the full language is kubectl's own business.)
 */
export type JsonPath = (value: JsonValue) => readonly JsonValue[];

/** A path that this subset cannot read. */
export class JsonPathError extends FairleadError {
  constructor(path: string, why: string) {
    super("JsonPath", `cannot read JSONPath ${JSON.stringify(path)}: ${why}`);
  }
}

type Step = (value: JsonValue) => readonly JsonValue[];

/** Compiles `.spec.replicas` or `{.spec.replicas}`. @throws JsonPathError */
export function compileJsonPath(text: string): JsonPath {
  const steps = stepsOf(text);
  return (value) => steps.reduce<readonly JsonValue[]>((found, step) => found.flatMap((v) => step(v)), [value]);
}

/** The first of what a path finds, without looking for the rest. @throws JsonPathError */
export function compileFirst(text: string): (value: JsonValue) => JsonValue | undefined {
  const steps = stepsOf(text);
  const first = (value: JsonValue, at: number): JsonValue | undefined => {
    const step = steps[at];
    if (step === undefined) return value;
    for (const inner of step(value)) {
      const found = first(inner, at + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return (value) => first(value, 0);
}

function stepsOf(text: string): readonly Step[] {
  const path = text.startsWith("{") && text.endsWith("}") ? text.slice(1, -1) : text;
  const steps: Step[] = [];
  let rest = path.startsWith("$") ? path.slice(1) : path;
  while (rest !== "") {
    const [step, after] = readStep(text, rest);
    steps.push(step);
    rest = after;
  }
  return steps;
}

function readStep(path: string, rest: string): readonly [Step, string] {
  const field = /^\.((?:[^.[\]\\*]|\\.)+)/.exec(rest);
  if (field !== null) return [member((field[1] ?? "").replaceAll(/\\(.)/g, "$1")), rest.slice(field[0].length)];
  if (rest.startsWith(".*")) return [everything, rest.slice(2)];
  if (rest === ".") return [(v) => [v], ""];
  if (!rest.startsWith("[")) throw new JsonPathError(path, `unexpected ${JSON.stringify(rest)}`);
  const end = closing(rest);
  if (end < 0) throw new JsonPathError(path, "unterminated array");
  return [bracket(path, rest.slice(1, end).trim()), rest.slice(end + 1)];
}

/** The index of the bracket that closes the first one, outside quotes. */
function closing(text: string): number {
  let quote = "";
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (quote !== "") {
      if (c === "\\") i++;
      else if (c === quote) quote = "";
    } else if (c === "'" || c === '"') quote = c;
    else if (c === "[") depth++;
    else if (c === "]" && --depth === 0) return i;
  }
  return -1;
}

function bracket(path: string, inner: string): Step {
  if (inner === "*") return everything;
  const quoted = /^(['"])((?:[^\\]|\\.)*)\1$/.exec(inner);
  if (quoted !== null) return member((quoted[2] ?? "").replaceAll(/\\(.)/g, "$1"));
  if (/^-?\d+$/.test(inner)) return (v) => (isArray(v) ? v.slice(Number(inner)).slice(0, 1) : []);
  const slice = /^(-?\d*):(-?\d*)$/.exec(inner);
  if (slice !== null) {
    const [from, to] = [slice[1] === "" ? 0 : Number(slice[1]), slice[2] === "" ? undefined : Number(slice[2])];
    return (v) => (isArray(v) ? v.slice(from, to) : []);
  }
  const filter = /^\?\((.*)\)$/s.exec(inner);
  if (filter !== null) return filterStep(path, filter[1] ?? "");
  throw new JsonPathError(path, `unexpected [${inner}]`);
}

function filterStep(path: string, condition: string): Step {
  const match = /^\s*@(.*?)\s*(?:(==|!=|<=|>=|<|>)\s*(.+?))?\s*$/s.exec(condition);
  if (match === null) throw new JsonPathError(path, `cannot read filter ${condition}`);
  const [, left = "", operator, right] = match;
  const get = compileJsonPath(left);
  const test = (item: JsonValue): boolean => {
    const [found] = get(item);
    if (operator === undefined || right === undefined) return found !== undefined;
    return found !== undefined && compare(found, operator, literal(right));
  };
  return (v) =>
    isArray(v)
      ? v.filter(test)
      : isObject(v)
        ? Object.values(v).filter((x): x is JsonValue => x !== undefined && test(x))
        : [];
}

function literal(text: string): JsonValue {
  const quoted = /^(['"])(.*)\1$/s.exec(text);
  if (quoted !== null) return quoted[2] ?? "";
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

function compare(a: JsonValue, operator: string, b: JsonValue): boolean {
  switch (operator) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    default:
  }
  if (!((typeof a === "number" && typeof b === "number") || (typeof a === "string" && typeof b === "string")))
    return false;
  switch (operator) {
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    default:
      return a >= b;
  }
}

function member(key: string): Step {
  return (v) => {
    const found = isObject(v) ? getOwn(v, key) : undefined;
    return found === undefined ? [] : [found];
  };
}

const everything: Step = (v) =>
  isArray(v) ? v : isObject(v) ? Object.values(v).filter((x): x is JsonValue => x !== undefined) : [];
