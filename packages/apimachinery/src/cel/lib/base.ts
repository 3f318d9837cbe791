// What Kubernetes lets expressions name (apiserver: pkg/cel/environment/base.go, as of 1.35).
import { mergeLibraries, type Declarations } from "../check/declarations.js";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
  type CelType,
} from "../check/types.js";
import { ADDRESSES_LIBRARY, CIDR_TYPE, IP_TYPE } from "./addresses.js";
import { AUTHORIZATION_LIBRARY } from "./authorization.js";
import { CONVERSIONS_LIBRARY } from "./conversions.js";
import { FORMATS_LIBRARY } from "./formats.js";
import { LISTS_LIBRARY, SETS_LIBRARY } from "./lists.js";
import { OPERATORS_LIBRARY } from "./operators.js";
import { OPTIONALS_LIBRARY } from "./optionals.js";
import { QUANTITIES_LIBRARY } from "./quantities.js";
import { REGEX_LIBRARY } from "./regex.js";
import { SEMVER_LIBRARY } from "./semver.js";
import { STRINGS_LIBRARY } from "./strings.js";
import { TIMES_LIBRARY } from "./times.js";
import { URLS_LIBRARY } from "./urls.js";

const TYPES: readonly (readonly [name: string, type: CelType])[] = [
  ["bool", BOOL],
  ["bytes", BYTES],
  ["double", DOUBLE],
  ["google.protobuf.Duration", DURATION],
  ["int", INT],
  ["list", listOf(DYN)],
  ["map", mapOf(DYN, DYN)],
  ["null_type", NULL],
  ["string", STRING],
  ["google.protobuf.Timestamp", TIMESTAMP],
  ["type", TYPE],
  ["uint", UINT],
  ["optional_type", optionalOf(DYN)],
  ["net.IP", IP_TYPE],
  ["net.CIDR", CIDR_TYPE],
];

export const BASE_DECLARATIONS: Declarations = {
  functions: mergeLibraries(
    OPERATORS_LIBRARY,
    CONVERSIONS_LIBRARY,
    TIMES_LIBRARY,
    URLS_LIBRARY,
    REGEX_LIBRARY,
    AUTHORIZATION_LIBRARY,
    LISTS_LIBRARY,
    OPTIONALS_LIBRARY,
    QUANTITIES_LIBRARY,
    STRINGS_LIBRARY,
    SETS_LIBRARY,
    ADDRESSES_LIBRARY,
    FORMATS_LIBRARY,
    SEMVER_LIBRARY,
  ),
  types: new Map(TYPES),
};
