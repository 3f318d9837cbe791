// HorizontalPodAutoscaler between autoscaling/v1 and v2 (k/k: pkg/apis/autoscaling/v1/conversion.go). What v1 has no field
// for travels in annotations.
import {
  getOwn,
  isArray,
  isObject,
  parseJson,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import { at, has, num, obj, objs, str } from "./access.js";

const PREFIX = "autoscaling.alpha.kubernetes.io/";
const METRICS = `${PREFIX}metrics`;
const CURRENT_METRICS = `${PREFIX}current-metrics`;
const BEHAVIOR = `${PREFIX}behavior`;
const CONDITIONS = `${PREFIX}conditions`;
const CARRIED: readonly string[] = [
  METRICS,
  CURRENT_METRICS,
  BEHAVIOR,
  CONDITIONS,
  `${PREFIX}scale-down-tolerance`,
  `${PREFIX}scale-up-tolerance`,
];

const DEFAULT_UTILIZATION = 80;

/** The object in the other version; unchanged when it is in that version already. */
export function convertAutoscaler(object: JsonObject, apiVersion: string): JsonObject {
  if (str(object, "apiVersion") === apiVersion) return object;
  return apiVersion === "autoscaling/v1" ? toV1(object) : toV2(object);
}

type Fields = Readonly<{ [key: string]: JsonValue | undefined }>;

/** An object of the members that are there, in the order given. */
function made(fields: Fields): JsonObject {
  const out: MutableJsonObject = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) out[key] = value;
  return out;
}

function isCpuUtilization(metric: JsonObject): boolean {
  const resource = obj(metric, "resource");
  return (
    str(metric, "type") === "Resource" &&
    str(resource, "name") === "cpu" &&
    has(at(resource, "target"), "averageUtilization")
  );
}

function toV1(object: JsonObject): JsonObject {
  const spec = at(object, "spec");
  const status = at(object, "status");
  const metrics = objs(spec, "metrics");
  const current = objs(status, "currentMetrics");
  const others = metrics.filter((metric) => !isCpuUtilization(metric)).map(metricToV1);
  const cpu = metrics.find(isCpuUtilization);
  const cpuNow = current.findLast(
    (metric) =>
      str(obj(metric, "resource"), "name") === "cpu" && has(at(metric, "resource", "current"), "averageUtilization"),
  );
  const behavior = obj(spec, "behavior");
  return withAnnotations(
    { ...object, apiVersion: "autoscaling/v1" },
    {
      [METRICS]: others.length > 0 ? JSON.stringify(others) : undefined,
      [CURRENT_METRICS]: current.length > 0 ? JSON.stringify(current.map(statusToV1)) : undefined,
      [BEHAVIOR]: behavior === undefined ? undefined : JSON.stringify(shownBehavior(behavior)),
      [CONDITIONS]:
        objs(status, "conditions").length > 0
          ? JSON.stringify(objs(status, "conditions").map(orderedCondition))
          : undefined,
    },
    {
      spec: made({
        scaleTargetRef: getOwn(spec, "scaleTargetRef"),
        minReplicas: getOwn(spec, "minReplicas"),
        maxReplicas: getOwn(spec, "maxReplicas"),
        targetCPUUtilizationPercentage:
          cpu === undefined ? undefined : num(at(cpu, "resource", "target"), "averageUtilization"),
      }),
      status: made({
        observedGeneration: getOwn(status, "observedGeneration"),
        lastScaleTime: getOwn(status, "lastScaleTime"),
        currentReplicas: num(status, "currentReplicas"),
        desiredReplicas: num(status, "desiredReplicas"),
        currentCPUUtilizationPercentage:
          cpuNow === undefined ? undefined : num(at(cpuNow, "resource", "current"), "averageUtilization"),
      }),
    },
  );
}

function withAnnotations(
  object: JsonObject,
  carried: Fields,
  parts: { readonly spec: JsonObject; readonly status: JsonObject },
): JsonObject {
  const annotations: MutableJsonObject = { ...at(object, "metadata", "annotations") };
  for (const key of CARRIED) delete annotations[key];
  Object.assign(annotations, made(carried));
  const metadata: MutableJsonObject = { ...at(object, "metadata") };
  if (Object.keys(annotations).length > 0) metadata["annotations"] = annotations;
  else delete metadata["annotations"];
  return { ...object, metadata, ...parts };
}

function orderedReference(reference: JsonObject): JsonObject {
  return made({
    kind: str(reference, "kind"),
    name: str(reference, "name"),
    apiVersion: getOwn(reference, "apiVersion"),
  });
}

function orderedCondition(condition: JsonObject): JsonObject {
  const keys = ["type", "status", "lastTransitionTime", "reason", "message"];
  return made(
    Object.fromEntries(
      keys.map((key) => [
        key,
        key === "lastTransitionTime" ? (getOwn(condition, key) ?? null) : getOwn(condition, key),
      ]),
    ),
  );
}

function metricToV1(metric: JsonObject): JsonObject {
  const source = (
    key: string,
    convert: (source: JsonObject, target: JsonObject) => JsonObject,
  ): JsonObject | undefined => {
    const found = obj(metric, key);
    return found === undefined ? undefined : convert(found, at(found, "target"));
  };
  const name = (found: JsonObject): string => str(at(found, "metric"), "name");
  const selector = (found: JsonObject): JsonValue | undefined => getOwn(at(found, "metric"), "selector");
  const resource = (found: JsonObject, target: JsonObject): JsonObject =>
    made({
      name: str(found, "name"),
      targetAverageUtilization: getOwn(target, "averageUtilization"),
      targetAverageValue: getOwn(target, "averageValue"),
      container: getOwn(found, "container"),
    });
  return made({
    type: str(metric, "type"),
    object: source("object", (found, target) =>
      made({
        target: orderedReference(at(found, "describedObject")),
        metricName: name(found),
        targetValue: getOwn(target, "value") ?? "0",
        selector: selector(found),
        averageValue: getOwn(target, "averageValue"),
      }),
    ),
    pods: source("pods", (found, target) =>
      made({
        metricName: name(found),
        targetAverageValue: getOwn(target, "averageValue") ?? "0",
        selector: selector(found),
      }),
    ),
    resource: source("resource", resource),
    containerResource: source("containerResource", resource),
    external: source("external", (found, target) =>
      made({
        metricName: name(found),
        metricSelector: selector(found),
        targetValue: getOwn(target, "value"),
        targetAverageValue: getOwn(target, "averageValue"),
      }),
    ),
  });
}

function statusToV1(metric: JsonObject): JsonObject {
  const source = (
    key: string,
    convert: (source: JsonObject, current: JsonObject) => JsonObject,
  ): JsonObject | undefined => {
    const found = obj(metric, key);
    return found === undefined ? undefined : convert(found, at(found, "current"));
  };
  const name = (found: JsonObject): string => str(at(found, "metric"), "name");
  const selector = (found: JsonObject): JsonValue | undefined => getOwn(at(found, "metric"), "selector");
  const resource = (found: JsonObject, current: JsonObject): JsonObject =>
    made({
      name: str(found, "name"),
      currentAverageUtilization: getOwn(current, "averageUtilization"),
      currentAverageValue: getOwn(current, "averageValue") ?? "0",
      container: getOwn(found, "container"),
    });
  return made({
    type: str(metric, "type"),
    object: source("object", (found, current) =>
      made({
        target: orderedReference(at(found, "describedObject")),
        metricName: name(found),
        currentValue: getOwn(current, "value") ?? "0",
        selector: selector(found),
        averageValue: getOwn(current, "averageValue"),
      }),
    ),
    pods: source("pods", (found, current) =>
      made({
        metricName: name(found),
        currentAverageValue: getOwn(current, "averageValue") ?? "0",
        selector: selector(found),
      }),
    ),
    resource: source("resource", resource),
    containerResource: source("containerResource", resource),
    external: source("external", (found, current) =>
      made({
        metricName: name(found),
        metricSelector: selector(found),
        currentValue: getOwn(current, "value") ?? "0",
        currentAverageValue: getOwn(current, "averageValue"),
      }),
    ),
  });
}

/** The behaviour as the annotation has it, which is the server's internal form. */
function shownBehavior(behavior: JsonObject): JsonObject {
  const rules = (key: string): JsonValue => {
    const found = obj(behavior, key);
    if (found === undefined) return null;
    const policies = getOwn(found, "policies");
    return {
      StabilizationWindowSeconds: getOwn(found, "stabilizationWindowSeconds") ?? null,
      SelectPolicy: getOwn(found, "selectPolicy") ?? null,
      Policies: isArray(policies)
        ? objs(found, "policies").map((p) => ({
            Type: str(p, "type"),
            Value: num(p, "value"),
            PeriodSeconds: num(p, "periodSeconds"),
          }))
        : null,
      Tolerance: getOwn(found, "tolerance") ?? null,
    };
  };
  return { ScaleUp: rules("scaleUp"), ScaleDown: rules("scaleDown") };
}

function parsed(text: string): JsonValue | undefined {
  try {
    return text === "" ? undefined : parseJson(text);
  } catch {
    return undefined;
  }
}

function parsedList(text: string): readonly JsonObject[] | undefined {
  const value = parsed(text);
  return isArray(value) ? value.filter(isObject) : undefined;
}

function toV2(object: JsonObject): JsonObject {
  const spec = at(object, "spec");
  const status = at(object, "status");
  const annotations = at(object, "metadata", "annotations");
  const percentage = getOwn(spec, "targetCPUUtilizationPercentage");
  const own = percentage === undefined ? [] : [cpuMetric(percentage)];
  const others = parsedList(str(annotations, METRICS))?.map(metricToV2) ?? [];
  const metrics = [...others, ...own];
  const behavior = parsed(str(annotations, BEHAVIOR));
  const conditions = parsedList(str(annotations, CONDITIONS));
  const usage = getOwn(status, "currentCPUUtilizationPercentage");
  const current = parsedList(str(annotations, CURRENT_METRICS))?.map(statusToV2);
  return withAnnotations(
    { ...object, apiVersion: "autoscaling/v2" },
    {},
    {
      spec: made({
        scaleTargetRef: getOwn(spec, "scaleTargetRef"),
        minReplicas: getOwn(spec, "minReplicas"),
        maxReplicas: getOwn(spec, "maxReplicas"),
        metrics: metrics.length > 0 ? metrics : [cpuMetric(DEFAULT_UTILIZATION)],
        behavior: isObject(behavior) ? lowered(behavior) : undefined,
      }),
      status: made({
        observedGeneration: getOwn(status, "observedGeneration"),
        lastScaleTime: getOwn(status, "lastScaleTime"),
        currentReplicas: getOwn(status, "currentReplicas") === 0 ? undefined : getOwn(status, "currentReplicas"),
        desiredReplicas: num(status, "desiredReplicas"),
        currentMetrics:
          current ??
          (usage === undefined
            ? null
            : [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: usage } } }]),
        conditions,
      }),
    },
  );
}

function cpuMetric(averageUtilization: JsonValue): JsonObject {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

/** Members by JSON's names, without those that are null. */
function lowered(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(lowered);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(
    members.map(([key, member]) => [key.charAt(0).toLowerCase() + key.slice(1), lowered(member as JsonValue)]),
  );
}

function metricToV2(metric: JsonObject): JsonObject {
  const source = (key: string, convert: (source: JsonObject) => JsonObject): JsonObject | undefined => {
    const found = obj(metric, key);
    return found === undefined ? undefined : convert(found);
  };
  const identifier = (found: JsonObject, selector: string): JsonObject =>
    made({ name: str(found, "metricName"), selector: getOwn(found, selector) });
  const target = (type: string, value: JsonValue | undefined, averageValue: JsonValue | undefined): JsonObject =>
    made({ type, value, averageValue });
  const resource = (found: JsonObject): JsonObject => {
    const averageUtilization = getOwn(found, "targetAverageUtilization");
    const type = averageUtilization === undefined ? "AverageValue" : "Utilization";
    return made({
      name: str(found, "name"),
      target: made({ type, averageValue: getOwn(found, "targetAverageValue"), averageUtilization }),
      container: getOwn(found, "container"),
    });
  };
  return made({
    type: str(metric, "type"),
    object: source("object", (found) => {
      const average = getOwn(found, "averageValue");
      const value = getOwn(found, "targetValue");
      const kept = average === undefined || value !== "0" ? value : undefined;
      return {
        describedObject: at(found, "target"),
        target: target(average === undefined ? "Value" : "AverageValue", kept, average),
        metric: identifier(found, "selector"),
      };
    }),
    pods: source("pods", (found) => ({
      metric: identifier(found, "selector"),
      target: target("AverageValue", undefined, getOwn(found, "targetAverageValue")),
    })),
    resource: source("resource", resource),
    containerResource: source("containerResource", resource),
    external: source("external", (found) => {
      const value = getOwn(found, "targetValue");
      return {
        metric: identifier(found, "metricSelector"),
        target: target(value === undefined ? "AverageValue" : "Value", value, getOwn(found, "targetAverageValue")),
      };
    }),
  });
}

function statusToV2(metric: JsonObject): JsonObject {
  const source = (key: string, convert: (source: JsonObject) => JsonObject): JsonObject | undefined => {
    const found = obj(metric, key);
    return found === undefined ? undefined : convert(found);
  };
  const identifier = (found: JsonObject, selector: string): JsonObject =>
    made({ name: str(found, "metricName"), selector: getOwn(found, selector) });
  const resource = (found: JsonObject): JsonObject =>
    made({
      name: str(found, "name"),
      current: made({
        averageValue: getOwn(found, "currentAverageValue"),
        averageUtilization: getOwn(found, "currentAverageUtilization"),
      }),
      container: getOwn(found, "container"),
    });
  const value = (found: JsonObject, average: string): JsonObject =>
    made({ value: getOwn(found, "currentValue"), averageValue: getOwn(found, average) });
  return made({
    type: str(metric, "type"),
    object: source("object", (found) => ({
      metric: identifier(found, "selector"),
      current: value(found, "averageValue"),
      describedObject: at(found, "target"),
    })),
    pods: source("pods", (found) => ({
      metric: identifier(found, "selector"),
      current: made({ averageValue: getOwn(found, "currentAverageValue") }),
    })),
    resource: source("resource", resource),
    containerResource: source("containerResource", resource),
    external: source("external", (found) => ({
      metric: identifier(found, "metricSelector"),
      current: value(found, "currentAverageValue"),
    })),
  });
}
