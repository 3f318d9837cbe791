import { isObject, JsonNumber, type JsonValue } from "@fairlead/base";

import { goQuote } from "../validation/go-quote.js";
import { isInt64, type Scalar } from "./scalar.js";

/** A mapping's key as sigs.k8s.io/yaml turns it into text; undefined for null, which it refuses. */
export function formatKey(key: Scalar): string | undefined {
  switch (key.type) {
    case "null":
      return undefined;
    case "float":
      return formatFloat32(key.value);
    default:
      return String(key.value);
  }
}

/** The shortest digits that tell a float of 32 bits from its neighbours, with an exponent from 1e+06 on and below 1e-4. */
function formatFloat32(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (Object.is(value, -0)) return "-0";
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return single < 0 ? "-.inf" : ".inf";
  for (let digits = 1; ; digits++) {
    const text = single.toExponential(digits - 1);
    if (digits < 10 && Math.fround(Number(text)) !== single) continue;
    const [mantissa = "", exponent = ""] = text.split("e");
    return withExponent(mantissa, Number(exponent));
  }
}

function withExponent(mantissa: string, exponent: number): string {
  if (exponent >= -4 && exponent < 6) return String(Number(`${mantissa}e${String(exponent)}`));
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** A key as Go's %#v prints it. */
export function goValue(key: Scalar): string {
  switch (key.type) {
    case "null":
      return "<nil>";
    case "str":
      return goQuote(key.value);
    case "int":
      return isInt64(key.value) ? String(key.value) : `0x${key.value.toString(16)}`;
    case "float":
      return goFloat(key.value);
    case "bool":
      return String(key.value);
  }
}

function goFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value < 0 ? "-Inf" : "+Inf";
  if (Object.is(value, -0)) return "-0";
  const [mantissa = "", exponent = ""] = value.toExponential().split("e");
  return withExponent(mantissa, Number(exponent));
}

/** A value as Go's %#v prints what the YAML library made of it. */
export function goSyntax(value: JsonValue): string {
  return value === null ? "<nil>" : inner(value);
}

function inner(value: JsonValue): string {
  if (value === null) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(inner).join(", ")}}`;
  if (isObject(value) && !(value instanceof JsonNumber)) {
    const entries = Object.keys(value).sort();
    return `map[interface {}]interface {}{${entries.map((key) => `${goQuote(key)}:${inner(value[key] as JsonValue)}`).join(", ")}}`;
  }
  return typeof value === "string" ? goQuote(value) : String(value);
}
