import { getOwn, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import { parseDocument } from "yaml";

import { CONTROL_CONFIG_MAP, CONTROL_KEY, STATUS_BY_WORKER_READINESS, type WorkloadConfig } from "./api.js";

/** What a chart's control ConfigMap says: a configuration or none, and what in it was not understood. */
export type ControlConfig =
  | { readonly kind: "decoded"; readonly config: WorkloadConfig | null; readonly ignored: readonly string[] }
  | { readonly kind: "invalid"; readonly message: string };

const KNOWN_FLAGS: ReadonlySet<string> = new Set([STATUS_BY_WORKER_READINESS]);

/** Whether a rendered object is the control ConfigMap, which is read and never applied. */
export function isControlConfigMap(object: JsonObject): boolean {
  const metadata = object["metadata"];
  return (
    object["kind"] === "ConfigMap" &&
    object["apiVersion"] === "v1" &&
    isObject(metadata) &&
    metadata["name"] === CONTROL_CONFIG_MAP
  );
}

/** Reads the control ConfigMap of a render. None at all means no configuration; two are an error. */
export function controlConfig(found: readonly JsonObject[]): ControlConfig {
  const [first, second] = found;
  if (first === undefined) return { kind: "decoded", config: null, ignored: [] };
  if (second !== undefined)
    return {
      kind: "invalid",
      message: `decode workload config: the chart renders ${found.length} ConfigMaps named ${CONTROL_CONFIG_MAP}; keep one`,
    };
  const data = first["data"];
  const text = isObject(data) ? getOwn(data, CONTROL_KEY) : undefined;
  if (typeof text !== "string" || text === "") return { kind: "decoded", config: null, ignored: [] };
  return decodeDocument(text);
}

/** The document is YAML 1.1, in which a bare `yes` or `on` is a boolean. */
function decodeDocument(text: string): ControlConfig {
  const document = parseDocument(text, { version: "1.1", logLevel: "silent" });
  const [error] = document.errors;
  if (error !== undefined) {
    const at = error.linePos?.[0];
    const where = at === undefined ? "" : ` at line ${at.line}, column ${at.col}`;
    return invalid(
      `${CONTROL_KEY} of ConfigMap ${CONTROL_CONFIG_MAP} is not YAML${where}: ${error.message.split("\n")[0] ?? ""}`,
    );
  }
  const value = document.toJS({ maxAliasCount: 100 }) as JsonValue;
  if (value === null) return { kind: "decoded", config: {}, ignored: [] };
  if (!isObject(value)) return invalid(`${CONTROL_KEY} of ConfigMap ${CONTROL_CONFIG_MAP} must be a map`);
  const ignored = Object.keys(value).filter((key) => key !== "featureFlags");
  const flags = getOwn(value, "featureFlags");
  if (flags === undefined || flags === null) return { kind: "decoded", config: {}, ignored };
  if (!isObject(flags)) return invalid("featureFlags must be a map of booleans");
  const kept: Record<string, boolean> = {};
  for (const name of Object.keys(flags)) {
    const flag = flags[name];
    if (typeof flag !== "boolean")
      return invalid(`featureFlags.${name} must be true or false, not ${JSON.stringify(flag)}`);
    if (KNOWN_FLAGS.has(name)) kept[name] = flag;
    else ignored.push(`featureFlags.${name}`);
  }
  return { kind: "decoded", config: { featureFlags: kept }, ignored };
}

function invalid(why: string): ControlConfig {
  return { kind: "invalid", message: `decode workload config: ${why}` };
}
