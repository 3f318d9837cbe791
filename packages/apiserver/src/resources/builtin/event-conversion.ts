// Events between the core group and events.k8s.io, which keep one set of objects (k/k: pkg/apis/events/v1/conversion.go).
import { getOwn, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import { str } from "./access.js";

/** Members that have other names in the two groups. */
const NAMES: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["source", "deprecatedSource"],
  ["message", "note"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

const TO_EVENTS: ReadonlyMap<string, string> = new Map(NAMES);
const TO_CORE: ReadonlyMap<string, string> = new Map(NAMES.map(([core, events]) => [events, core]));

/** What the core group prints even when it is empty. */
const CORE_TEXTS: readonly string[] = ["reportingComponent", "reportingInstance"];

/** The event in the other group; unchanged when it is in that group already. */
export function convertEvent(object: JsonObject, apiVersion: string): JsonObject {
  if (str(object, "apiVersion") === apiVersion) return object;
  const toEvents = apiVersion !== "v1";
  const names = toEvents ? TO_EVENTS : TO_CORE;
  const out: MutableJsonObject = {};
  for (const [key, value] of Object.entries(object)) if (value !== undefined) out[names.get(key) ?? key] = value;
  out["apiVersion"] = apiVersion;
  const texts = toEvents ? ["reportingController", "reportingInstance"] : CORE_TEXTS;
  for (const key of texts) {
    if (toEvents && out[key] === "") delete out[key];
    else if (!toEvents && getOwn(out, key) === undefined) out[key] = "";
  }
  return out;
}
