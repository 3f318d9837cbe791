import {
  byCodeUnit,
  deepEqual,
  getOwn,
  getPath,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import type { FieldError } from "@fairlead/apimachinery";

import { qosClass } from "../../resources/builtin/pod-resources.js";
import type { ResourceInfo } from "../../resources/resource.js";
import { metadataOf, withMetadata } from "../metadata.js";

/**
 * Subresources that are a part of their object, read and written in its form: `pods/ephemeralcontainers`,
 * `pods/resize`, `certificatesigningrequests/approval`. A write changes its part and who owns it, and nothing else.
 */
export interface Part {
  /** The live object with its part as the wanted one has it. */
  readonly take: (wanted: JsonObject, live: JsonObject) => JsonObject;
  readonly validate: (object: JsonObject, live: JsonObject) => readonly FieldError[];
}

/** The part that a subresource is; undefined for subresources of other kinds. */
export function partOf({ group, resource }: ResourceInfo, subresource: string): Part | undefined {
  return PARTS.get(`${group}/${resource}/${subresource}`);
}

const PARTS: ReadonlyMap<string, Part> = new Map([
  ["/pods/ephemeralcontainers", { take: takeEphemeralContainers, validate: ephemeralErrors }],
  ["/pods/resize", { take: takeResources, validate: resizeErrors }],
  ["certificates.k8s.io/certificatesigningrequests/approval", { take: takeConditions, validate: () => [] }],
]);

function takeEphemeralContainers(wanted: JsonObject, live: JsonObject): JsonObject {
  const spec: MutableJsonObject = { ...objectAt(live, "spec") };
  set(spec, "ephemeralContainers", getPath(wanted, "spec", "ephemeralContainers"));
  return owned({ ...live, spec }, wanted);
}

/** Of containers that there are, by name, only what they use and how they are resized. */
function takeResources(wanted: JsonObject, live: JsonObject): JsonObject {
  const spec: MutableJsonObject = { ...objectAt(live, "spec") };
  for (const key of ["containers", "initContainers"]) {
    const next = listAt(objectAt(wanted, "spec"), key);
    const now = listAt(spec, key);
    if (now.length === 0) continue;
    spec[key] = now.map((container) => {
      const same = next.find((c) => c["name"] === container["name"]);
      if (same === undefined) return container;
      const resized: MutableJsonObject = { ...container };
      set(resized, "resources", getOwn(same, "resources"));
      set(resized, "resizePolicy", getOwn(same, "resizePolicy"));
      return resized;
    });
  }
  return owned({ ...live, spec }, wanted);
}

function takeConditions(wanted: JsonObject, live: JsonObject): JsonObject {
  const status: MutableJsonObject = { ...objectAt(live, "status") };
  set(status, "conditions", getPath(wanted, "status", "conditions"));
  return owned({ ...live, status }, wanted);
}

/** What has been started stays as it is (k/k: ValidatePodEphemeralContainersUpdate). */
function ephemeralErrors(object: JsonObject, live: JsonObject): readonly FieldError[] {
  const next = new Map(listAt(objectAt(object, "spec"), "ephemeralContainers").map((c) => [c["name"], c]));
  const errors: FieldError[] = [];
  const before = [...listAt(objectAt(live, "spec"), "ephemeralContainers")].sort((a, b) =>
    byCodeUnit(String(a["name"]), String(b["name"])),
  );
  for (const container of before) {
    const name = JSON.stringify(container["name"]);
    const now = next.get(container["name"]);
    if (now === undefined)
      errors.push({
        type: "FieldValueForbidden",
        field: "spec.ephemeralContainers",
        detail: `existing ephemeral containers ${name} may not be removed\n`,
      });
    else if (!deepEqual(now, container))
      errors.push({
        type: "FieldValueForbidden",
        field: "spec.ephemeralContainers",
        detail: `existing ephemeral containers ${name} may not be changed\n`,
      });
  }
  return errors;
}

/** A pod keeps its quality of service, and what it was given cannot be taken away (k/k: ValidatePodResize). */
function resizeErrors(object: JsonObject, live: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const held = getPath(live, "status", "qosClass") ?? qosClass(live);
  if (held !== qosClass(object))
    errors.push({
      type: "FieldValueInvalid",
      field: "spec",
      badValue: held,
      detail: "Pod QOS Class may not change as a result of resizing",
    });
  const forbidden = (field: string, detail: string): void => {
    errors.push({ type: "FieldValueForbidden", field, detail });
  };
  let others = false;
  for (const key of ["containers", "initContainers"]) {
    const before = listAt(objectAt(live, "spec"), key);
    for (const [i, container] of listAt(objectAt(object, "spec"), key).entries()) {
      const [now, old] = [objectAt(container, "resources"), objectAt(before[i] ?? {}, "resources")];
      for (const part of ["limits", "requests"]) {
        const [given, had] = [objectAt(now, part), objectAt(old, part)];
        if (RESIZABLE.some((name) => Object.hasOwn(had, name) && !Object.hasOwn(given, name)))
          forbidden(`spec.${key}[${i}].resources.${part}`, `resource ${part} cannot be removed`);
        others ||= !deepEqual(withoutResizable(given), withoutResizable(had));
      }
    }
  }
  if (others) forbidden("spec", "only cpu and memory resources are mutable");
  return errors;
}

const RESIZABLE: readonly string[] = ["cpu", "memory"];

function withoutResizable(resources: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(resources).filter(([name]) => !RESIZABLE.includes(name)));
}

function owned(object: JsonObject, wanted: JsonObject): JsonObject {
  return withMetadata(object, { managedFields: metadataOf(wanted)["managedFields"] });
}

function set(object: MutableJsonObject, key: string, value: JsonValue | undefined): void {
  if (value === undefined) delete object[key];
  else object[key] = value;
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = getOwn(object, key);
  return isObject(value) ? value : {};
}

function listAt(object: JsonObject, key: string): readonly JsonObject[] {
  const value = getOwn(object, key);
  return isArray(value) ? value.filter(isObject) : [];
}
