// Cells of tables as Kubernetes prints them (k/k: pkg/printers/internalversion/printers.go).
import { getPath, type JsonObject, type JsonValue } from "@fairlead/base";
import type { StrategyContext, TableColumn } from "../resource.js";

/** The first column of every table. */
export const NAME_COLUMN: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description:
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
  priority: 0,
};

/** When the object was made, as an age. */
export const AGE_COLUMN: TableColumn = {
  name: "Age",
  type: "string",
  format: "",
  description:
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
  priority: 0,
};

/** When the object was made, as a time: tables of kinds that have no other. */
export const CREATED_COLUMN: TableColumn = { ...AGE_COLUMN, name: "Created At", type: "date" };

export function nameCell(object: JsonObject): string {
  const name = getPath(object, "metadata", "name");
  return typeof name === "string" ? name : "";
}

/** How long ago a time was, `<unknown>` for none. */
export function ageCell(time: JsonValue | undefined, context: StrategyContext): string {
  if (typeof time !== "string" || time === "") return "<unknown>";
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? "<unknown>" : humanDuration(context.nowMs - ms);
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** A duration in milliseconds as in `3h12m` (apimachinery: util/duration HumanDuration). */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 60 * 2) return `${seconds}s`;
  const minutes = Math.trunc(ms / MINUTE);
  if (minutes < 10) return pair(minutes, "m", Math.trunc(ms / SECOND) % 60, "s");
  if (minutes < 60 * 3) return `${minutes}m`;
  const hours = Math.trunc(ms / HOUR);
  if (hours < 8) return pair(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  if (hours < 24 * 8) return pair(Math.trunc(hours / 24), "d", hours % 24, "h");
  if (hours < 24 * 365 * 2) return `${Math.trunc(hours / 24)}d`;
  const years = Math.trunc(ms / YEAR);
  if (hours < 24 * 365 * 8) return pair(years, "y", Math.trunc(hours / 24) % 365, "d");
  return `${years}y`;
}

function pair(greater: number, greaterUnit: string, lesser: number, lesserUnit: string): string {
  return lesser === 0 ? `${greater}${greaterUnit}` : `${greater}${greaterUnit}${lesser}${lesserUnit}`;
}

/** The age of an object. */
export function ageOf(object: JsonObject, context: StrategyContext): string {
  return ageCell(getPath(object, "metadata", "creationTimestamp"), context);
}
