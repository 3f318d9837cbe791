import { getOwn, getPath, isObject, type JsonObject } from "@fairlead/base";
import { labelSelectorOf, matchesLabels } from "@fairlead/apimachinery";

import { nameOf } from "./documents.js";
import { podSpecPath } from "./pod-policy.js";

/**
 * Selectors that reach only what the chart itself made: workloads select by a label of their own, and Services by one
 * more that is copied to exactly the pods that they select in the chart. Keys and values come from names, so that two
 * renders of a chart are equal and a selector, which cannot change, need not.
 */
export const CONTROLLER_LABEL = "autogen-label-controller";
const CONTROLLERS = new Set(["Deployment", "ReplicaSet", "StatefulSet"]);

export interface SelectorInput {
  readonly namespace: string;
  /** SHA-256 of a text in hex. */
  readonly digest: (text: string) => string;
}

export function withOwnSelectors(
  objects: readonly JsonObject[],
  { namespace, digest }: SelectorInput,
): readonly JsonObject[] {
  const short = (text: string): string => digest(text).slice(0, 10);
  const value = (object: JsonObject): string =>
    `x${short(`${namespace}/${String(object["kind"])}/${nameOf(object)}`)}x`;
  const services = objects.flatMap((service) => {
    const selector = isService(service) ? selectorOf(service) : undefined;
    return selector === undefined
      ? []
      : [{ service, selector, label: { [`autogen-label-service-${short(nameOf(service))}`]: value(service) } }];
  });
  return objects.map((object) => {
    const own = services.find(({ service }) => service === object);
    if (own !== undefined) return at(object, ["spec", "selector"], (selector) => ({ ...selector, ...own.label }));
    const path = podMetadataPath(object);
    if (path === undefined) return object;
    const selecting = services.filter(({ selector }) =>
      matchesLabels(labelSelectorOf({ matchLabels: selector }), podLabels(object)),
    );
    const controller = CONTROLLERS.has(String(object["kind"])) ? { [CONTROLLER_LABEL]: value(object) } : undefined;
    const labels: JsonObject = Object.assign({}, controller, ...selecting.map(({ label }) => label)) as JsonObject;
    const labelled =
      Object.keys(labels).length === 0
        ? object
        : at(object, [...path, "labels"], (before) => ({ ...before, ...labels }));
    return controller === undefined
      ? labelled
      : at(labelled, ["spec", "selector"], () => ({ matchLabels: controller }));
  });
}

/** The labels of a pod, or of the pods that an object makes; undefined when it makes none. */
export function podLabels(object: JsonObject): JsonObject | undefined {
  const path = podMetadataPath(object);
  if (path === undefined) return undefined;
  const labels = getPath(object, ...path, "labels");
  return isObject(labels) ? labels : {};
}

export function isService(object: JsonObject): boolean {
  return object["kind"] === "Service" && object["apiVersion"] === "v1";
}

/** What a Service selects by; undefined when it selects nothing by itself. */
export function selectorOf(service: JsonObject): JsonObject | undefined {
  const selector = getPath(service, "spec", "selector");
  return isObject(selector) && Object.keys(selector).length > 0 ? selector : undefined;
}

function podMetadataPath(object: JsonObject): readonly string[] | undefined {
  const path = podSpecPath(String(object["kind"]));
  return path === undefined ? undefined : [...path.slice(0, -1), "metadata"];
}

/** A copy with the object at a path replaced; what is missing on the way is made. */
function at(object: JsonObject, path: readonly string[], change: (before: JsonObject) => JsonObject): JsonObject {
  const [head, ...rest] = path;
  if (head === undefined) return change(object);
  const inner = getOwn(object, head);
  return { ...object, [head]: at(isObject(inner) ? inner : {}, rest, change) };
}
