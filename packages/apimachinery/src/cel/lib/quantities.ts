// Kubernetes' quantities (apiserver: pkg/cel/library/quantity.go).
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  QuantityError,
  subtractQuantities,
  type Quantity,
} from "../../validation/quantity.js";
import { declare, global, member, type Library } from "../check/declarations.js";
import { BOOL, DOUBLE, INT, STRING, structType } from "../check/types.js";
import { CelError, type Opaque, type Result } from "../value/value.js";

const QUANTITY_NAME = "kubernetes.Quantity";
const QUANTITY = structType(QUANTITY_NAME);

class QuantityValue implements Opaque {
  readonly celType = QUANTITY_NAME;
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    this.quantity = quantity;
  }

  equals(other: Opaque): boolean {
    return other instanceof QuantityValue && compareQuantities(this.quantity, other.quantity) === 0;
  }
}

function parse(text: string): Quantity | CelError {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message);
    throw error;
  }
}

/** The value, if it is an integer of 64 bits that is written without a fraction. */
function wholeOf({ mantissa, exponent }: Quantity): bigint | undefined {
  if (mantissa === 0n) return 0n;
  if (exponent > 18) return undefined;
  const by = 10n ** BigInt(Math.abs(exponent));
  if (exponent < 0 && mantissa % by !== 0n) return undefined;
  const value = exponent < 0 ? mantissa / by : mantissa * by;
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const ofInt = (value: bigint): Quantity => ({ mantissa: value, exponent: 0, format: "DecimalExponent" });
const Q = QUANTITY;
const order = (a: QuantityValue, b: QuantityValue): bigint =>
  BigInt(Math.sign(compareQuantities(a.quantity, b.quantity)));

export const QUANTITIES_LIBRARY: Library = [
  declare(
    "quantity",
    global("string_to_quantity", [STRING], Q, (text: string): Result => {
      const quantity = parse(text);
      return quantity instanceof CelError ? quantity : new QuantityValue(quantity);
    }),
  ),
  declare(
    "isQuantity",
    global("is_quantity_string", [STRING], BOOL, (text: string) => !(parse(text) instanceof CelError)),
  ),
  declare(
    "sign",
    global("quantity_sign", [Q], INT, (a: QuantityValue) => order(a, new QuantityValue(ofInt(0n)))),
  ),
  declare(
    "isGreaterThan",
    member("quantity_is_greater_than", [Q, Q], BOOL, (a: QuantityValue, b: QuantityValue) => order(a, b) > 0n),
  ),
  declare(
    "isLessThan",
    member("quantity_is_less_than", [Q, Q], BOOL, (a: QuantityValue, b: QuantityValue) => order(a, b) < 0n),
  ),
  declare("compareTo", member("quantity_compare_to", [Q, Q], INT, order)),
  declare(
    "asApproximateFloat",
    member("quantity_get_float", [Q], DOUBLE, ({ quantity }: QuantityValue) =>
      Number(`${quantity.mantissa}e${quantity.exponent}`),
    ),
  ),
  declare(
    "asInteger",
    member(
      "quantity_get_int",
      [Q],
      INT,
      ({ quantity }: QuantityValue) => wholeOf(quantity) ?? new CelError("cannot convert value to integer"),
    ),
  ),
  declare(
    "isInteger",
    member("quantity_is_integer", [Q], BOOL, ({ quantity }: QuantityValue) => wholeOf(quantity) !== undefined),
  ),
  declare(
    "add",
    member(
      "quantity_add",
      [Q, Q],
      Q,
      (a: QuantityValue, b: QuantityValue) => new QuantityValue(addQuantities(a.quantity, b.quantity)),
    ),
    member(
      "quantity_add_int",
      [Q, INT],
      Q,
      (a: QuantityValue, b: bigint) => new QuantityValue(addQuantities(a.quantity, ofInt(b))),
    ),
  ),
  declare(
    "sub",
    member(
      "quantity_sub",
      [Q, Q],
      Q,
      (a: QuantityValue, b: QuantityValue) => new QuantityValue(subtractQuantities(a.quantity, b.quantity)),
    ),
    member(
      "quantity_sub_int",
      [Q, INT],
      Q,
      (a: QuantityValue, b: bigint) => new QuantityValue(subtractQuantities(a.quantity, ofInt(b))),
    ),
  ),
];
