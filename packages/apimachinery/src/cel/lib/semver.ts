// Semantic versions (apiserver: pkg/cel/library/semverlib.go; blang/semver).
import { declare, global, member, type Library } from "../check/declarations.js";
import { BOOL, INT, STRING, structType } from "../check/types.js";
import { CelError, type Opaque, type Result } from "../value/value.js";

const SEMVER_NAME = "kubernetes.Semver";
const SEMVER = structType(SEMVER_NAME);

class SemverValue implements Opaque {
  readonly celType = SEMVER_NAME;
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  equals(other: Opaque): boolean {
    return other instanceof SemverValue && order(this, other) === 0n;
  }
}

const NUMBER = /^\d+$/;
const NAME = /^[0-9A-Za-z-]+$/;
const GREATEST = 2n ** 64n - 1n;

function parse(text: string): SemverValue | CelError {
  if (text === "") return new CelError("Version string empty");
  const [major, minor, rest] = splitN(text, ".", 3);
  if (minor === undefined || rest === undefined) return new CelError("No Major.Minor.Patch elements found");
  const plus = rest.indexOf("+");
  const build = plus < 0 ? [] : rest.slice(plus + 1).split(".");
  const front = plus < 0 ? rest : rest.slice(0, plus);
  const dash = front.indexOf("-");
  const prerelease = dash < 0 ? [] : front.slice(dash + 1).split(".");
  const numbers: bigint[] = [];
  for (const [name, part] of [
    ["Major", major ?? ""],
    ["Minor", minor],
    ["Patch", dash < 0 ? front : front.slice(0, dash)],
  ] as const) {
    if (!NUMBER.test(part))
      return new CelError(`Invalid character(s) found in ${name.toLowerCase()} number ${quoted(part)}`);
    if (part.length > 1 && part.startsWith("0"))
      return new CelError(`${name} number must not contain leading zeroes ${quoted(part)}`);
    if (BigInt(part) > GREATEST) return new CelError(`strconv.ParseUint: parsing ${quoted(part)}: value out of range`);
    numbers.push(BigInt(part));
  }
  for (const part of prerelease) {
    if (part === "") return new CelError("Prerelease is empty");
    if (NUMBER.test(part) && part.length > 1 && part.startsWith("0"))
      return new CelError(`Numeric PreRelease version must not contain leading zeroes ${quoted(part)}`);
    if (!NAME.test(part)) return new CelError(`Invalid character(s) found in prerelease ${quoted(part)}`);
  }
  for (const part of build) {
    if (part === "") return new CelError("Build meta data is empty");
    if (!NAME.test(part)) return new CelError(`Invalid character(s) found in build meta data ${quoted(part)}`);
  }
  return new SemverValue(numbers as unknown as [bigint, bigint, bigint], prerelease);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function splitN(text: string, separator: string, count: number): readonly string[] {
  const parts = text.split(separator);
  return parts.length <= count ? parts : [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

/** Reads what is almost a version: `v1`, `1.02`. */
function parseLoosely(text: string): SemverValue | CelError {
  const parts = splitN(text.replace(/^v/, ""), ".", 3).map((part) => {
    if (part.length <= 1) return part;
    const stripped = part.replace(/^0+/, "");
    return /^\d/.test(stripped) ? stripped : `0${stripped}`;
  });
  if (parts.length < 3 && /[+-]/.test(parts[parts.length - 1] ?? ""))
    return new CelError("short version cannot contain PreRelease/Build meta data");
  while (parts.length < 3) parts.push("0");
  return parse(parts.join("."));
}

function order(a: SemverValue, b: SemverValue): bigint {
  for (const i of [0, 1, 2] as const) {
    const [left, right] = [a.numbers[i], b.numbers[i]];
    if (left !== right) return left < right ? -1n : 1n;
  }
  return BigInt(orderOfPrereleases(a.prerelease, b.prerelease));
}

/** A version without a prerelease comes after those with one; numbers come before words. */
function orderOfPrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(Number(a.length === 0) - Number(b.length === 0));
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [left = "", right = ""] = [a[i], b[i]];
    if (left === right) continue;
    const [leftIsNumber, rightIsNumber] = [NUMBER.test(left), NUMBER.test(right)];
    if (leftIsNumber !== rightIsNumber) return leftIsNumber ? -1 : 1;
    if (leftIsNumber) return BigInt(left) < BigInt(right) ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

const V = SEMVER;
const read = (text: string, loosely: boolean): Result => (loosely ? parseLoosely(text) : parse(text));
const isVersion = (text: string, loosely: boolean): boolean => !(read(text, loosely) instanceof CelError);

export const SEMVER_LIBRARY: Library = [
  declare(
    "semver",
    global("string_to_semver", [STRING], V, (text: string) => read(text, false)),
    global("string_bool_to_semver", [STRING, BOOL], V, read),
  ),
  declare(
    "isSemver",
    global("is_semver_string", [STRING], BOOL, (text: string) => isVersion(text, false)),
    global("is_semver_string_bool", [STRING, BOOL], BOOL, isVersion),
  ),
  declare(
    "isGreaterThan",
    member("semver_is_greater_than", [V, V], BOOL, (a: SemverValue, b: SemverValue) => order(a, b) > 0n),
  ),
  declare(
    "isLessThan",
    member("semver_is_less_than", [V, V], BOOL, (a: SemverValue, b: SemverValue) => order(a, b) < 0n),
  ),
  declare("compareTo", member("semver_compare_to", [V, V], INT, order)),
  declare(
    "major",
    member("semver_major", [V], INT, ({ numbers }: SemverValue) => numbers[0]),
  ),
  declare(
    "minor",
    member("semver_minor", [V], INT, ({ numbers }: SemverValue) => numbers[1]),
  ),
  declare(
    "patch",
    member("semver_patch", [V], INT, ({ numbers }: SemverValue) => numbers[2]),
  ),
];
