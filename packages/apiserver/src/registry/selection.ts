import type { JsonObject } from "@fairlead/base";
import { matchesFields, matchesLabels, type FieldSelector, type LabelSelector } from "@fairlead/apimachinery";

import type { Endpoint } from "./endpoint.js";
import { metadataOf, metaText } from "./metadata.js";

export interface Selection {
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
}

/** Whether an object is selected by labels and fields. */
export function matches(endpoint: Endpoint, object: JsonObject, { labels, fields }: Selection): boolean {
  if (
    labels !== undefined &&
    !matchesLabels(labels, (metadataOf(object)["labels"] ?? {}) as Readonly<Record<string, string>>)
  )
    return false;
  return fields === undefined || matchesFields(fields, (name) => fieldOf(endpoint, object, name));
}

function fieldOf({ strategy }: Endpoint, object: JsonObject, name: string): string {
  if (name === "metadata.name") return metaText(object, "name");
  if (name === "metadata.namespace") return metaText(object, "namespace");
  return strategy.selectableFields.get(name)?.(object) ?? "";
}
