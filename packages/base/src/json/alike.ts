import { stringifyJson } from "./stringify.js";
import { isArray, isObject, type JsonObject, type JsonValue } from "./value.js";

const SURROGATE = /[\ud800-\udfff]/;

/** Whether two values print the same JSON (`stringifyJson`), without printing them. What they share is not looked at. */
export function printsAlike(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return a !== 0 || Object.is(a, b);
  if (typeof a === "string" && typeof b === "string")
    return a.length === b.length && SURROGATE.test(a + b) && a.toWellFormed() === b.toWellFormed();
  if (isArray(a) || isArray(b))
    return (
      isArray(a) && isArray(b) && a.length === b.length && a.every((item, i) => printsAlike(item, b[i] as JsonValue))
    );
  if (isObject(a) && isObject(b)) return membersAlike(a, b);
  return !isObject(a) && !isObject(b) && stringifyJson(a) === stringifyJson(b);
}

function membersAlike(a: JsonObject, b: JsonObject): boolean {
  let members = 0;
  for (const key of Object.keys(a)) {
    const value = a[key];
    if (value === undefined) continue;
    members++;
    if (!Object.hasOwn(b, key)) return false;
    const other = b[key];
    if (other === undefined || !printsAlike(value, other)) return false;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) members--;
  return members === 0;
}
