import { describe, expect, it } from "vitest";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  subtractQuantities,
} from "./quantity.js";

describe("the canonical spelling", () => {
  it.each<[text: string, canonical: string]>([
    ["0", "0"],
    ["0Ki", "0"],
    ["100m", "100m"],
    ["0.5", "500m"],
    ["1.5Gi", "1536Mi"],
    ["1024Ki", "1Mi"],
    ["1000Ki", "1000Ki"],
    ["1000", "1k"],
    ["1100", "1100"],
    ["+1", "+1"],
    ["01", "01"],
    ["0.1", "100m"],
    ["1e3", "1e3"],
    ["1E6", "1E6"],
    ["1.5e3", "1500"],
    ["12.3e-3", "12300e-6"],
    ["0.5Ki", "512"],
    ["0.5Mi", "512Ki"],
    ["1n", "1n"],
    ["0.1n", "1n"],
    ["-1.1n", "-2n"],
    ["1P", "1P"],
    ["10000Ei", "9223372036854775807"],
    ["1.Gi", "1.Gi"],
    [".5", "500m"],
    ["M", "0"],
  ])("%s is %s", (text, canonical) => {
    expect(formatQuantity(parseQuantity(text))).toBe(canonical);
  });
});

describe("what is no quantity", () => {
  const format = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  it.each<[text: string, message: string]>([
    ["", format],
    ["1.2.3", format],
    [" 1", format],
    ["1K", "unable to parse quantity's suffix"],
    ["1mi", "unable to parse quantity's suffix"],
    ["1e", "unable to parse quantity's suffix"],
    ["+-1", "unable to parse quantity's suffix"],
    ["1e99999999999999999999", "unable to parse quantity's suffix"],
    ["Pi", "unable to parse numeric part of quantity"],
  ])("%j is refused", (text, message) => {
    expect(() => parseQuantity(text)).toThrow(message);
  });
});

describe("arithmetic", () => {
  it.each<[a: string, b: string, order: number, sum: string, difference: string]>([
    ["1", "1000m", 0, "2", "0"],
    ["1Gi", "1G", 1, "2073741824", "73741824"],
    ["1Gi", "512Mi", 1, "1536Mi", "512Mi"],
    ["-1", "1", -1, "0", "-2"],
    ["0", "1Ki", -1, "1Ki", "-1Ki"],
    ["1e300", "1", 1, `${"1" + "0".repeat(299)}1`, "9".repeat(300)],
  ])("%s and %s", (a, b, order, sum, difference) => {
    const [left, right] = [parseQuantity(a), parseQuantity(b)];
    expect(Math.sign(compareQuantities(left, right))).toBe(order);
    expect(formatQuantity(addQuantities(left, right))).toBe(sum);
    expect(formatQuantity(subtractQuantities(left, right))).toBe(difference);
  });

  it("rounds units and thousandths up", () => {
    expect(quantityValue(parseQuantity("1001m"))).toBe(2n);
    expect(quantityMilliValue(parseQuantity("1.0001"))).toBe(1001n);
    expect(quantityMilliValue(parseQuantity("2Ki"))).toBe(2_048_000n);
  });
});
