import {
  cloneJson,
  getOwn,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import {
  failure,
  formatFieldError,
  StatusError,
  validateAnnotations,
  validateLabels,
  type FieldError,
} from "@fairlead/apimachinery";

/** Sends a review to the webhook of `clientConfig` and returns the answer. @throws Error that says what went wrong */
export type AskWebhook = (clientConfig: JsonObject, review: JsonObject) => Promise<JsonValue>;

export interface ConversionWebhook {
  /** `spec.conversion.webhook` of a definition. */
  readonly webhook: JsonObject;
  readonly ask: AskWebhook;
  readonly uid: () => string;
}

/** Objects of one review; a longer list takes several, one after the other. */
const REVIEW_LIMIT = 500;

const GROUP = "apiextensions.k8s.io";

/**
 * Objects as a webhook converts them: the answer has to be for this question, in the wanted version and in order, and of
 * metadata it changes labels and annotations only (apiextensions: apiserver/conversion/webhook_converter.go). What has
 * the version already, and what is nothing but a version and a kind, is not sent.
 *
 * @throws StatusError 500
 */
export async function convertByWebhook(
  hook: ConversionWebhook,
  objects: readonly JsonObject[],
  apiVersion: string,
): Promise<readonly JsonObject[]> {
  const out = objects.map((object) => (isBare(object) ? { ...object, apiVersion } : object));
  const open = [...out.keys()].filter((i) => out[i]?.["apiVersion"] !== apiVersion);
  for (let from = 0; from < open.length; from += REVIEW_LIMIT) {
    const part = open.slice(from, from + REVIEW_LIMIT);
    const sent = part.map((i) => out[i] as JsonObject);
    const made = await review(hook, sent, apiVersion);
    part.forEach((i, at) => (out[i] = made[at] as JsonObject));
  }
  return out;
}

function isBare(object: JsonObject): boolean {
  return Object.keys(object).length === 2 && Object.hasOwn(object, "apiVersion") && Object.hasOwn(object, "kind");
}

async function review(
  { webhook, ask, uid }: ConversionWebhook,
  objects: readonly JsonObject[],
  apiVersion: string,
): Promise<readonly JsonObject[]> {
  const [first] = objects;
  const subject = `conversion webhook for ${gvkText(first ?? {})}`;
  const version = reviewVersion(webhook);
  const request = { uid: uid(), desiredAPIVersion: apiVersion, objects };
  let answered: readonly JsonValue[];
  try {
    const answer = await ask(objectAt(webhook, "clientConfig"), {
      kind: "ConversionReview",
      apiVersion: `${GROUP}/${version}`,
      request,
    });
    answered = convertedObjects(answer, { version, uid: request.uid });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw conversionFailure(`${subject} failed: ${error.message}`, error);
  }
  if (answered.length !== objects.length)
    throw conversionFailure(`${subject} returned ${answered.length} objects, expected ${objects.length}`);
  const single = objects.length === 1;
  return objects.map((original, i) => accepted(original, answered[i] ?? null, { apiVersion, subject, i, single }));
}

/** The first version of reviews that both sides know; the definition was refused if there is none. */
function reviewVersion(webhook: JsonObject): "v1" | "v1beta1" {
  const versions = getOwn(webhook, "conversionReviewVersions");
  const known = isArray(versions) ? versions.find((v) => v === "v1" || v === "v1beta1") : undefined;
  if (known === "v1" || known === "v1beta1") return known;
  throw conversionFailure("no supported conversion review versions");
}

/** What an answer holds. Those of v1beta1 need not name their kind and the question. @throws Error */
function convertedObjects(
  answer: JsonValue,
  { version, uid }: { readonly version: "v1" | "v1beta1"; readonly uid: string },
): readonly JsonValue[] {
  const whole = isObject(answer) ? answer : {};
  const expected = { apiVersion: `${GROUP}/${version}`, kind: "ConversionReview" };
  if (version === "v1" && gvkText(whole) !== gvkText(expected))
    throw new Error(`expected webhook response of ${gvkText(expected)}, got ${gvkText(whole)}`);
  const response = getOwn(whole, "response");
  if (!isObject(response)) throw new Error("no response provided");
  const given = textAt(response, "uid");
  if (version === "v1" && given !== uid)
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`);
  const result = objectAt(response, "result");
  if (textAt(result, "status") !== "Success") {
    const message = textAt(result, "message");
    throw new Error(message || `response.result.status was '${textAt(result, "status")}', not 'Success'`);
  }
  const objects = getOwn(response, "convertedObjects");
  return isArray(objects) ? objects : [];
}

interface Place {
  readonly apiVersion: string;
  readonly subject: string;
  readonly i: number;
  readonly single: boolean;
}

/** One converted object with the metadata of the original. @throws StatusError */
function accepted(original: JsonObject, answered: JsonValue, { apiVersion, subject, i, single }: Place): JsonObject {
  const object = isObject(answered) ? answered : {};
  // Kubernetes counts a list from one here, and a single object from zero.
  const place = single
    ? `${subject} returned invalid object at index 0`
    : `${subject} returned invalid converted object at index ${i + 1}`;
  const version = textAt(object, "apiVersion");
  if (version !== apiVersion)
    throw conversionFailure(`${place}: invalid groupVersion (expected ${apiVersion}, received ${version})`);
  const [kind, received] = [textAt(original, "kind"), textAt(object, "kind")];
  if (kind !== received) throw conversionFailure(`${place}: invalid kind (expected ${kind}, received ${received})`);
  const changed = changedIdentity(objectAt(original, "metadata"), objectAt(object, "metadata"));
  if (changed !== undefined)
    throw conversionFailure(single ? `${subject} returned invalid object: ${changed}` : `${place}: ${changed}`);
  const metadata = restoredMetadata(original, object);
  if (typeof metadata === "string") {
    const where = single ? "" : ` in object at index ${i + 1}`;
    throw conversionFailure(`${subject} returned invalid metadata${where}: ${metadata}`);
  }
  return { ...object, metadata };
}

function changedIdentity(before: JsonObject, after: JsonObject): string | undefined {
  for (const [key, called] of [
    ["name", "name"],
    ["namespace", "namespace"],
    ["uid", "UID"],
  ] as const) {
    const [was, is] = [textAt(before, key), textAt(after, key)];
    if (was !== is) return `must have the same ${called}: ${was} != ${is}`;
  }
  return undefined;
}

/** The original's metadata with the answer's labels and annotations; or why they cannot be. */
function restoredMetadata(original: JsonObject, answered: JsonObject): JsonObject | string {
  if (!Object.hasOwn(answered, "metadata")) return "missing metadata in converted object";
  const given = answered["metadata"];
  if (!isObject(given)) return `invalid metadata of type ${goType(given ?? null)} in converted object`;
  const out: MutableJsonObject = { ...(cloneJson(objectAt(original, "metadata")) as JsonObject) };
  for (const key of ["labels", "annotations"] as const) {
    const wanted = getOwn(given, key) ?? null;
    if (wanted === null) {
      delete out[key];
      continue;
    }
    if (!isObject(wanted)) return `invalid metadata.${key} of type ${goType(wanted)} in converted object`;
    const before = objectAt(out, key);
    let isChanged = Object.keys(before).length !== Object.keys(wanted).length;
    for (const [name, value = null] of Object.entries(wanted)) {
      if (typeof value !== "string")
        return `metadata.${key}[${name}] must be a string, but is ${goType(value)} in converted object`;
      if (getOwn(before, name) !== value) isChanged = true;
    }
    const errors = isChanged ? MAP_RULES[key](wanted) : [];
    if (errors.length > 0) return aggregate(errors);
    out[key] = wanted;
  }
  return out;
}

/** `annotation`, without an s, is Kubernetes' own. */
const MAP_RULES: Readonly<Record<"labels" | "annotations", (map: JsonObject) => readonly FieldError[]>> = {
  labels: (map) => validateLabels(map, "metadata.labels"),
  annotations: (map) => validateAnnotations(map, "metadata.annotation"),
};

/** Several errors as Go prints them together: each once, in brackets. */
function aggregate(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(formatFieldError))];
  return texts.length === 1 ? texts.join("") : `[${texts.join(", ")}]`;
}

function goType(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float64";
}

/** `lab.dev/v1, Kind=Widget` */
function gvkText(object: JsonObject): string {
  const apiVersion = textAt(object, "apiVersion");
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${textAt(object, "kind")}`;
}

function conversionFailure(message: string, cause?: unknown): StatusError {
  return new StatusError(failure(500, "", message), { cause });
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = getOwn(object, key);
  return isObject(value) ? value : {};
}

function textAt(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === "string" ? value : "";
}
