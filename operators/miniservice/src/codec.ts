import { deepEqual, getOwn, isObject, type JsonObject, type JsonValue } from "@fairlead/base";

import type { MiniServiceSpec, WorkloadConfig } from "./api.js";

/**
 * Compatibility JSON: names that had other spellings before, and the equality of workload configurations. Decoding never
 * throws, since one object that cannot be decoded must not stop the watch of all others: a conflict is a result.
 */
export type Decoded =
  { readonly kind: "value"; readonly value: string } | { readonly kind: "invalid"; readonly message: string };

/** An alias pair: the name that is written, the one that is still read, and what messages call the thing. */
interface Alias {
  readonly canonical: string;
  readonly legacy: string;
  readonly label: string;
}

const REQUEST_NAME: Alias = { canonical: "icmsRequestName", legacy: "spotRequestName", label: "ICMS request name" };
const REQUEST_NAMESPACE: Alias = {
  canonical: "icmsRequestNamespace",
  legacy: "spotRequestNamespace",
  label: "ICMS request namespace",
};

/** The request's name; `""` when the spec has none. */
export function decodeRequestName(spec: MiniServiceSpec | JsonObject | undefined): Decoded {
  return decodeAlias(spec as JsonObject | undefined, REQUEST_NAME);
}

/** The request's namespace; `""` when the spec has none. */
export function decodeRequestNamespace(spec: JsonObject | undefined): Decoded {
  return decodeAlias(spec, REQUEST_NAMESPACE);
}

function decodeAlias(spec: JsonObject | undefined, { canonical, legacy, label }: Alias): Decoded {
  const found: string[] = [];
  for (const key of [canonical, legacy]) {
    const value = spec === undefined ? undefined : getOwn(spec, key);
    if (value === undefined) continue;
    if (value !== null && typeof value !== "string") {
      return { kind: "invalid", message: `decode ${label}: ${key} must be a string` };
    }
    found.push(value ?? "");
  }
  const [first = "", second] = found;
  if (second !== undefined && second !== first) return { kind: "invalid", message: `${label} has conflicting values` };
  return { kind: "value", value: first };
}

/**
 * A spec as the wire has it: the canonical names only, the required fields also when they are zero, `workloadConfig` only
 * when there is one, and every unknown field kept. For whoever creates whole objects; a patch never uses it.
 */
export function encodeSpec(spec: MiniServiceSpec): JsonObject {
  const { spotRequestName: _legacy, workloadConfig, ...rest } = spec;
  const name = decodeRequestName(spec);
  const chart = (spec.helmChartConfig ?? {}) as JsonObject;
  return {
    ...(rest as JsonObject),
    namespace: spec.namespace ?? "",
    icmsRequestName: name.kind === "value" ? name.value : (spec.icmsRequestName ?? ""),
    helmChartConfig: {
      ...chart,
      url: chart["url"] ?? "",
      authConfig: { k8sSecrets: null, ...(chart["authConfig"] as JsonObject | undefined) },
    },
    ...(workloadConfig === undefined || workloadConfig === null
      ? {}
      : { workloadConfig: workloadConfig as unknown as JsonValue }),
  };
}

/** Equality of workload configurations: no flags equal an empty map of flags, no configuration does not equal an empty one. */
export function sameWorkloadConfig(
  a: WorkloadConfig | null | undefined,
  b: WorkloadConfig | null | undefined,
): boolean {
  const none = (c: WorkloadConfig | null | undefined): c is null | undefined => c === undefined || c === null;
  if (none(a) || none(b)) return none(a) && none(b);
  return deepEqual(a.featureFlags ?? {}, b.featureFlags ?? {});
}

/** Whether a flag is set; missing anything means no. */
export function isFlagSet(config: WorkloadConfig | null | undefined, flag: string): boolean {
  const flags: unknown = config?.featureFlags;
  return isObject(flags) && getOwn(flags, flag) === true;
}
