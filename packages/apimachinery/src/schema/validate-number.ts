// Numbers against their bounds (kube-openapi: pkg/validation/validate/validator.go numberValidator, values.go). Bounds
// are floats; against a whole number they lose their fraction, as Kubernetes' do.
import { invalid } from "../validation/errors.js";
import type { Schema } from "./schema.js";
import type { SchemaError } from "./schema-error.js";

/** What is wrong with a number: its range first, then `multipleOf`, minimum and maximum. */
export function validateNumber(value: number | bigint, schema: Schema, path: string): readonly SchemaError[] {
  const errors = rangeErrors(value, schema, "Checked", path);
  return [
    ...errors,
    ...bound(schema.multipleOf, "MultipleOf", schema, path, (factor, whole) =>
      multipleErrors(value, factor, { whole, path }),
    ),
    ...bound(schema.minimum, "Minimum boundary", schema, path, (min, whole) => {
      const limit = whole ? Math.trunc(min) : min;
      const ok = schema.exclusiveMinimum === true ? value > limit : value >= limit;
      return ok
        ? []
        : [
            failed(
              path,
              value,
              `should be greater than ${schema.exclusiveMinimum === true ? "" : "or equal to "}${goFloat(limit)}`,
            ),
          ];
    }),
    ...bound(schema.maximum, "Maximum boundary", schema, path, (max, whole) => {
      const limit = whole ? Math.trunc(max) : max;
      const ok = schema.exclusiveMaximum === true ? value < limit : value <= limit;
      return ok
        ? []
        : [
            failed(
              path,
              value,
              `should be less than ${schema.exclusiveMaximum === true ? "" : "or equal to "}${goFloat(limit)}`,
            ),
          ];
    }),
  ];

  function bound(
    limit: number | undefined,
    name: string,
    of: Schema,
    at: string,
    check: (limit: number, whole: boolean) => readonly SchemaError[],
  ): readonly SchemaError[] {
    if (limit === undefined) return [];
    const unfit = rangeErrors(limit, of, name, at);
    return [...unfit, ...check(limit, unfit.length === 0 && isWhole(value))];
  }
}

function isWhole(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isSafeInteger(value);
}

function multipleErrors(
  value: number | bigint,
  factor: number,
  { whole, path }: { readonly whole: boolean; readonly path: string },
): readonly SchemaError[] {
  const by = whole ? Math.trunc(factor) : factor;
  if (by <= 0) {
    const message = `factor MultipleOf declared for ${path} must be positive: ${goFloat(by)}`;
    return [{ message, error: invalid(path, by, message) }];
  }
  const fits = whole
    ? BigInt(value) % BigInt(by) === 0n
    : isJsonInteger(by < 1 ? (1 / by) * Number(value) : Number(value) / by);
  return fits ? [] : [failed(path, value, `should be a multiple of ${goFloat(by)}`)];
}

/** Whole within float precision, as go-openapi's IsFloat64AJSONInteger. */
function isJsonInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const rounded = Math.trunc(value);
  const difference = Math.abs(value - rounded);
  return (
    value === rounded ||
    difference < Number.MIN_VALUE * 1e9 ||
    difference / (Math.abs(value) + Math.abs(rounded)) < 1e-9
  );
}

function failed(path: string, value: number | bigint, what: string): SchemaError {
  const message = `${path} in body ${what}`;
  return { message, error: invalid(path, value, message) };
}

function rangeErrors(value: number | bigint, schema: Schema, what: string, path: string): readonly SchemaError[] {
  const { format } = schema;
  if (schema.type === "integer" && schema.intOrString !== true) {
    const limit = format === "int32" ? 2n ** 31n : 2n ** 63n;
    if (isWhole(value) && BigInt(value) >= -limit && BigInt(value) < limit) return [];
    if (typeof value === "number" && Number.isInteger(value) && BigInt(value) >= -limit && BigInt(value) < limit)
      return [];
  } else if (schema.type !== "number" || format !== "float" || Math.abs(Number(value)) <= 3.4028234663852886e38)
    return [];
  const known = format === "int32" || format === "int64" || format === "float";
  const message = `${what} value must be of type ${schema.type ?? ""} ${known ? `with format ${format}` : "(default format)"} in ${path}`;
  return [{ message, error: invalid("<nil>", "", message) }];
}

/** A number as Go's `%v` prints it. */
function goFloat(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-4 && size < 1e21)) return String(value);
  const [mantissa = "", exponent = ""] = value.toExponential().split("e");
  return `${mantissa}e${exponent.startsWith("-") ? "-" : "+"}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
}
