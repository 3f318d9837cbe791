// Amounts of resources and their sums (k/k: staging/src/k8s.io/apiserver/pkg/quota/v1/resources.go).
import { byCodeUnit, getOwn, isObject, type JsonObject } from "@fairlead/base";
import {
  addQuantities,
  compareQuantities,
  findQuantity,
  formatQuantity,
  subtractQuantities,
  type Quantity,
} from "../validation/quantity.js";

/** Amounts by the name of the resource. */
export type Amounts = ReadonlyMap<string, Quantity>;

export const NO_AMOUNTS: Amounts = new Map();
const ZERO: Quantity = { mantissa: 0n, exponent: 0, format: "DecimalSI" };

/** A number of objects. */
export function numberOf(count: number): Quantity {
  return { mantissa: BigInt(count), exponent: 0, format: "DecimalSI" };
}

/** The amounts of a ResourceList; what is no quantity is left out. */
export function amountsIn(holder: JsonObject, key: string): Amounts {
  const list = getOwn(holder, key);
  if (!isObject(list)) return NO_AMOUNTS;
  return new Map(
    Object.entries(list).flatMap(([name, value]) => {
      const quantity = findQuantity(String(value));
      return quantity === undefined ? [] : [[name, quantity] as const];
    }),
  );
}

/** The amounts as a ResourceList. */
export function resourceListOf(amounts: Amounts): JsonObject {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
}

/** `cpu=1,pods=2`, as messages tell amounts. */
export function describeAmounts(amounts: Amounts): string {
  return [...amounts]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([name, amount]) => `${name}=${formatQuantity(amount)}`)
    .join(",");
}

/** All of both; amounts of one resource are joined. */
export function joinAmounts(a: Amounts, b: Amounts, join: (x: Quantity, y: Quantity) => Quantity): Amounts {
  const out = new Map(a);
  for (const [name, amount] of b) {
    const known = out.get(name);
    out.set(name, known === undefined ? amount : join(known, amount));
  }
  return out;
}

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  return joinAmounts(a, b, addQuantities);
}

/** Of each resource the larger amount. */
export function mostAmounts(a: Amounts, b: Amounts): Amounts {
  return joinAmounts(a, b, largerQuantity);
}

/** What is left of the first after the second is taken away; never less than nothing. */
export function withoutAmounts(a: Amounts, b: Amounts): Amounts {
  return new Map(
    [...a].map(([name, amount]) => {
      const less = b.get(name);
      return [name, less === undefined ? amount : largerQuantity(subtractQuantities(amount, less), ZERO)];
    }),
  );
}

/** The amounts of some resources alone. */
export function maskAmounts(amounts: Amounts, names: Iterable<string>): Amounts {
  const kept = new Set(names);
  return new Map([...amounts].filter(([name]) => kept.has(name)));
}

export function nonZeroAmounts(amounts: Amounts): Amounts {
  return new Map([...amounts].filter(([, amount]) => amount.mantissa !== 0n));
}

/** The resources of which there is more than the second allows. */
export function exceedingNames(amounts: Amounts, most: Amounts): readonly string[] {
  return [...amounts].flatMap(([name, amount]) => {
    const bound = most.get(name);
    return bound !== undefined && compareQuantities(amount, bound) > 0 ? [name] : [];
  });
}

/** Whether both have the same resources in the same amounts, however they are written. */
export function sameAmounts(a: Amounts, b: Amounts): boolean {
  return (
    a.size === b.size &&
    [...a].every(([name, amount]) => {
      const other = b.get(name);
      return other !== undefined && compareQuantities(amount, other) === 0;
    })
  );
}

function largerQuantity(a: Quantity, b: Quantity): Quantity {
  return compareQuantities(a, b) < 0 ? b : a;
}
