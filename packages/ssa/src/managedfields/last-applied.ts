import {
  decodeNumbers,
  FairleadError,
  getOwn,
  isObject,
  parseJson,
  setOwn,
  type JsonObject,
  type MutableJsonObject,
} from "@fairlead/base";

import { hasPath, type FieldSet } from "../fieldpath/field-set.js";
import { difference } from "../fieldpath/set-algebra.js";
import type { Conflict } from "../merge/conflicts.js";
import { compareTyped } from "../typed/compare.js";
import { fieldSetOfValue } from "../typed/to-field-set.js";
import { goJson } from "../value/go-format.js";
import type { Endpoint } from "./context.js";
import { metadataOf } from "./metadata.js";
import { inVersion } from "./update.js";

/** Where client-side `kubectl apply` keeps what it applied last. */
export const LAST_APPLIED_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";

/** Annotations of an object at most, keys and values together (apimachinery: api/validation/objectmeta.go). */
const ANNOTATIONS_LIMIT_BYTES = 256 * 1024;

interface Request {
  readonly live: JsonObject | undefined;
  readonly config: JsonObject;
  readonly manager: string;
}

/**
 * The conflicts that stay when the manager `kubectl` moves from client-side to server-side apply: a field that the
 * annotation sets to its live value is kubectl's own, so taking it is no conflict. Unless that explains all conflicts,
 * only the unexplained ones are left; without a usable annotation, all of them.
 */
export function absorbedConflicts(
  endpoint: Endpoint,
  conflicts: readonly Conflict[],
  request: Request,
): readonly Conflict[] {
  if (request.manager !== "kubectl" || request.live === undefined) return conflicts;
  const allowed = allowedByLastApplied(endpoint, request.live);
  if (allowed === undefined) return conflicts;
  return conflicts.filter(({ path }) => !hasPath(allowed, path));
}

function allowedByLastApplied(endpoint: Endpoint, live: JsonObject): FieldSet | undefined {
  const text = lastAppliedOf(live);
  if (text === undefined) return undefined;
  try {
    const config = decodeNumbers(parseJson(text));
    if (
      !isObject(config) ||
      getOwn(config, "apiVersion") !== endpoint.apiVersion ||
      typeof getOwn(config, "kind") !== "string"
    )
      return undefined;
    const applied = endpoint.typed(config, { allowDuplicates: false });
    const current = endpoint.typed(inVersion(endpoint, live), { allowDuplicates: false });
    const changed = compareTyped(applied.value, current.value, applied.type);
    const set = fieldSetOfValue(applied.value, applied.type);
    return difference(difference(difference(set, changed.modified), changed.added), changed.removed);
  } catch (error) {
    if (error instanceof FairleadError && error.code !== "Invariant") return undefined;
    throw error;
  }
}

function lastAppliedOf(object: JsonObject): string | undefined {
  const annotations = getOwn(metadataOf(object), "annotations");
  const text = isObject(annotations) ? getOwn(annotations, LAST_APPLIED_ANNOTATION) : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** After an apply by `kubectl`, an annotation that is there is brought up to date, so client-side apply stays possible. */
export function withLastApplied(object: JsonObject, request: Request): JsonObject {
  if (request.manager !== "kubectl" || lastAppliedOf(object) === undefined) return object;
  const metadata = metadataOf(object);
  const annotations: MutableJsonObject = { ...(getOwn(metadata, "annotations") as JsonObject) };
  annotations[LAST_APPLIED_ANNOTATION] = formatLastApplied(request.config);
  if (sizeBytes(annotations) > ANNOTATIONS_LIMIT_BYTES) delete annotations[LAST_APPLIED_ANNOTATION];
  return { ...object, metadata: { ...metadata, annotations } };
}

/** The configuration without the annotation itself, as one line of JSON. */
function formatLastApplied(config: JsonObject): string {
  const metadata = metadataOf(config);
  const annotations = getOwn(metadata, "annotations");
  if (!isObject(annotations)) return `${goJson(config)}\n`;
  const rest: MutableJsonObject = {};
  for (const key of Object.keys(annotations))
    if (key !== LAST_APPLIED_ANNOTATION) setOwn(rest, key, annotations[key] ?? null);
  return `${goJson({ ...config, metadata: { ...metadata, annotations: rest } })}\n`;
}

function sizeBytes(annotations: JsonObject): number {
  let size = 0;
  for (const key of Object.keys(annotations)) size += utf8Length(key) + utf8Length(String(annotations[key]));
  return size;
}

function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) length += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return length;
}
