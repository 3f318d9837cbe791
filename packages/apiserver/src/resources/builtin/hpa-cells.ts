// The Targets cell of a HorizontalPodAutoscaler (k/k: printers.go formatHPAMetrics).
import type { JsonObject } from "@fairlead/base";
import { at, has, num, obj, objs, str } from "./access.js";

const SHOWN = 2;

/** `cpu: 20%/80%, 5/10 + 1 more...`, for both served versions. */
export function hpaTargets(object: JsonObject): string {
  const spec = at(object, "spec");
  if (has(spec, "targetCPUUtilizationPercentage")) return v1Target(object);
  const metrics = objs(spec, "metrics");
  if (metrics.length === 0) return "<none>";
  const statuses = objs(at(object, "status"), "currentMetrics");
  const texts = metrics.map((metric, i) => metricText(metric, statuses[i]));
  const shown = texts.slice(0, SHOWN).join(", ");
  return texts.length > SHOWN ? `${shown} + ${texts.length - SHOWN} more...` : shown;
}

function v1Target(object: JsonObject): string {
  const status = at(object, "status");
  const current = has(status, "currentCPUUtilizationPercentage")
    ? `${num(status, "currentCPUUtilizationPercentage")}%`
    : "<unknown>";
  return `cpu: ${current}/${num(at(object, "spec"), "targetCPUUtilizationPercentage")}%`;
}

function metricText(metric: JsonObject, status: JsonObject | undefined): string {
  switch (str(metric, "type")) {
    case "External":
      return valueText(at(metric, "external"), obj(status, "external"));
    case "Object":
      return valueText(at(metric, "object"), obj(status, "object"));
    case "Pods":
      return `${current(obj(status, "pods"), "averageValue")}/${str(at(metric, "pods", "target"), "averageValue")}`;
    case "Resource":
      return resourceText(at(metric, "resource"), obj(status, "resource"));
    case "ContainerResource":
      return resourceText(at(metric, "containerResource"), obj(status, "containerResource"));
    default:
      return "<unknown type>";
  }
}

function current(status: JsonObject | undefined, key: string): string {
  return status === undefined ? "<unknown>" : str(at(status, "current"), key) || "<unknown>";
}

function valueText(source: JsonObject, status: JsonObject | undefined): string {
  const target = at(source, "target");
  if (has(target, "averageValue")) return `${current(status, "averageValue")}/${str(target, "averageValue")} (avg)`;
  return `${current(status, "value")}/${str(target, "value")}`;
}

function resourceText(source: JsonObject, status: JsonObject | undefined): string {
  const target = at(source, "target");
  const name = str(source, "name");
  if (has(target, "averageValue")) return `${name}: ${current(status, "averageValue")}/${str(target, "averageValue")}`;
  const now = at(status, "current");
  const seen = has(now, "averageUtilization") ? `${num(now, "averageUtilization")}%` : "<unknown>";
  return `${name}: ${seen}/${has(target, "averageUtilization") ? `${num(target, "averageUtilization")}%` : "<auto>"}`;
}
