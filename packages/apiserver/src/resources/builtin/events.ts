// Event in both groups, and Lease (k/k: pkg/apis/core/validation/events.go, pkg/apis/coordination/validation).
import {
  FIELD_IS_IMMUTABLE,
  invalid,
  invalidEach,
  isDns1123Subdomain,
  isQualifiedName,
  required,
  sameValue,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, getOwn, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, has, num, obj, str } from "./access.js";
import { convertEvent } from "./event-conversion.js";
import { nonNegativeMember } from "./rules.js";
import { builtinStrategy } from "./strategy.js";

/** The strategies of these kinds. */
export function eventStrategies(): readonly ResourceStrategy[] {
  return [coreEvent(), groupEvent(), lease()];
}

const REFERENCE_FIELDS: readonly string[] = [
  "kind",
  "namespace",
  "name",
  "uid",
  "apiVersion",
  "resourceVersion",
  "fieldPath",
];

const LONGEST = 128;
const LONGEST_NOTE = 1024;

type Fields = ReadonlyMap<string, (object: JsonObject) => string>;

function coreEvent(): ResourceStrategy {
  const fields: Fields = new Map([
    ...REFERENCE_FIELDS.map(
      (key) => [`involvedObject.${key}`, (object: JsonObject) => str(obj(object, "involvedObject"), key)] as const,
    ),
    ["reason", (object) => str(object, "reason")],
    ["reportingComponent", (object) => str(object, "reportingComponent")],
    ["source", (object) => str(obj(object, "source"), "component") || str(object, "reportingComponent")],
    ["type", (object) => str(object, "type")],
  ]);
  return builtinStrategy("/v1/Event", {
    validateCreate: (object) => eventErrors(object, "reportingComponent"),
    selectableFields: fields,
  });
}

function groupEvent(): ResourceStrategy {
  const core = (object: JsonObject): JsonObject => convertEvent(object, "v1");
  const fields: Fields = new Map([
    ...REFERENCE_FIELDS.map(
      (key) => [`regarding.${key}`, (object: JsonObject) => str(obj(object, "regarding"), key)] as const,
    ),
    ["reason", (object) => str(object, "reason")],
    ["reportingController", (object) => str(object, "reportingController")],
    ["type", (object) => str(object, "type")],
  ]);
  return builtinStrategy("events.k8s.io/v1/Event", {
    validateCreate: (object) => [...eventErrors(core(object), "reportingController"), ...strictErrors(core(object))],
    validateUpdate: (object, live) => [
      ...eventErrors(core(object), "reportingController"),
      ...changeErrors(core(object), core(live)),
    ],
    selectableFields: fields,
  });
}

/** What has always been wrong with an event, by the names of the core group. */
function eventErrors(event: JsonObject, controllerField: string): readonly FieldError[] {
  const namespace = str(at(event, "metadata"), "namespace");
  const about = str(at(event, "involvedObject"), "namespace");
  const wrongNamespace = invalid("involvedObject.namespace", about, "does not match event.namespace");
  const last = invalidEach("namespace", namespace, isDns1123Subdomain(namespace));
  if (!has(event, "eventTime")) {
    const matches = about === "" ? namespace === "" || namespace === "default" : namespace === about;
    return matches ? last : [wrongNamespace, ...last];
  }
  const controller = str(event, "reportingComponent");
  const errors: FieldError[] =
    about === "" && namespace !== "default" && namespace !== "kube-system" ? [wrongNamespace] : [];
  if (controller === "") errors.push(required(controllerField));
  errors.push(...invalidEach(controllerField, controller, isQualifiedName(controller)));
  for (const key of ["reportingInstance", "action", "reason"]) {
    if (str(event, key) === "") errors.push(required(key));
    if (str(event, key).length > LONGEST) errors.push(invalid(key, "", `can have at most ${LONGEST} characters`));
  }
  if (str(event, "message").length > LONGEST_NOTE)
    errors.push(invalid("message", "", `can have at most ${LONGEST_NOTE} characters`));
  return [...errors, ...last];
}

/** What only the events group asks of new events. */
function strictErrors(event: JsonObject): readonly FieldError[] {
  const type = str(event, "type");
  const source = at(event, "source");
  const unset = "needs to be unset";
  return [
    ...seriesErrors(obj(event, "series")),
    ...(has(event, "eventTime") ? [] : [required("eventTime")]),
    ...(type === "Normal" || type === "Warning" ? [] : [invalid("type", "", `has invalid value: ${type}`)]),
    ...["firstTimestamp", "lastTimestamp"].flatMap((key) => (has(event, key) ? [invalid(key, "", unset)] : [])),
    ...(num(event, "count") === 0 ? [] : [invalid("count", "", unset)]),
    ...(str(source, "component") === "" && str(source, "host") === "" ? [] : [invalid("source", "", unset)]),
  ];
}

function seriesErrors(series: JsonObject | undefined): readonly FieldError[] {
  if (series === undefined) return [];
  return [
    ...(num(series, "count") < 2 ? [invalid("series.count", "", "should be at least 2")] : []),
    ...(has(series, "lastObservedTime") ? [] : [required("series.lastObservedTime")]),
  ];
}

const FIXED: readonly (readonly [key: string, field: string])[] = [
  ["involvedObject", "involvedObject"],
  ["reason", "reason"],
  ["message", "message"],
  ["source", "source"],
  ["firstTimestamp", "firstTimestamp"],
  ["lastTimestamp", "lastTimestamp"],
  ["count", "count"],
  ["reason", "reason"],
  ["type", "type"],
  ["eventTime", "eventTime"],
  ["action", "action"],
  ["related", "related"],
  ["reportingComponent", "reportingController"],
  ["reportingInstance", "reportingInstance"],
];

function changeErrors(event: JsonObject, live: JsonObject): readonly FieldError[] {
  const series = deepEqual(getOwn(event, "series") ?? null, getOwn(live, "series") ?? null)
    ? []
    : seriesErrors(obj(event, "series"));
  const changed = FIXED.filter(([key]) => !sameValue(getOwn(event, key), getOwn(live, key)));
  return [
    ...series,
    ...changed.map(([key, field]) => invalid(field, shown(key, getOwn(event, key) ?? ""), FIELD_IS_IMMUTABLE)),
  ];
}

const GO_NAMES: ReadonlyMap<string, readonly (readonly [key: string, name: string])[]> = new Map([
  ["involvedObject", REFERENCE_FIELDS.map((key) => [key, goName(key)] as const)],
  ["related", REFERENCE_FIELDS.map((key) => [key, goName(key)] as const)],
  [
    "source",
    [
      ["component", "Component"],
      ["host", "Host"],
    ] as const,
  ],
]);

function goName(key: string): string {
  if (key === "uid") return "UID";
  return key === "apiVersion" ? "APIVersion" : key.charAt(0).toUpperCase() + key.slice(1);
}

/** References are shown in the form of the server's internal type. */
function shown(key: string, value: NonNullable<JsonObject[string]>): NonNullable<JsonObject[string]> {
  const names = GO_NAMES.get(key);
  if (names === undefined || typeof value !== "object") return value;
  return Object.fromEntries(names.map(([member, name]) => [name, str(value as JsonObject, member)]));
}

function lease(): ResourceStrategy {
  return builtinStrategy("coordination.k8s.io/v1/Lease", {
    anyFinalizer: true,
    prepareForCreate: dropCoordination,
    prepareForUpdate: dropCoordination,
    validateCreate: (object) => leaseErrors(at(object, "spec")),
  });
}

/** Coordinated leader election is switched off by default. */
function dropCoordination(object: MutableJsonObject): void {
  const spec = at(object, "spec");
  if (!has(spec, "strategy") && !has(spec, "preferredHolder")) return;
  const { strategy: _strategy, preferredHolder: _holder, ...rest } = spec;
  object["spec"] = rest;
}

function leaseErrors(spec: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const seconds = num(spec, "leaseDurationSeconds");
  if (has(spec, "leaseDurationSeconds") && seconds <= 0)
    errors.push(invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"));
  errors.push(...nonNegativeMember(spec, "leaseTransitions", "spec"));
  return errors;
}
