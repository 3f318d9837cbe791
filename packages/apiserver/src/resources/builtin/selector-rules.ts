// The selector of a workload and the labels of its template (k/k: pkg/apis/apps/validation).
import {
  invalid,
  labelSelectorOf,
  matchesLabels,
  required,
  SelectorError,
  validateLabelSelector,
  type FieldError,
  type LabelSelector,
} from "@fairlead/apimachinery";
import { getOwn, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import { at, has, obj, objs, shownMap, str, strs } from "./access.js";

/** The selector of a spec; undefined when it does not parse. An absent one selects nothing. */
export function selectorOf(spec: JsonObject): LabelSelector | undefined {
  try {
    return labelSelectorOf(getOwn(spec, "selector"));
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

/** The selector of a spec as messages show it. */
export function shownSelector(spec: JsonObject): JsonValue {
  const selector = obj(spec, "selector");
  return selector === undefined ? null : selectorForm(selector);
}

/** A selector as messages show it: in the order of Go's fields, and its labels sorted. */
export function selectorForm(selector: JsonObject): JsonObject {
  const out: MutableJsonObject = {};
  if (has(selector, "matchLabels")) out["matchLabels"] = shownMap(selector, "matchLabels");
  if (has(selector, "matchExpressions"))
    out["matchExpressions"] = objs(selector, "matchExpressions").map((each) => ({
      key: str(each, "key"),
      operator: str(each, "operator"),
      ...(has(each, "values") ? { values: [...strs(each, "values")] } : {}),
    }));
  return out;
}

/** Whether a selector names nothing at all. */
export function isEmptySelector(selector: JsonObject): boolean {
  return Object.keys(obj(selector, "matchLabels") ?? {}).length + objs(selector, "matchExpressions").length === 0;
}

/** A selector that must be there, be valid, and select something. */
export function requiredSelectorErrors(spec: JsonObject, path: string, kind: string): readonly FieldError[] {
  const selector = obj(spec, "selector");
  if (selector === undefined) return [required(path)];
  const errors = validateLabelSelector(selector, path);
  return isEmptySelector(selector)
    ? [...errors, invalid(path, shownSelector(spec), `empty selector is invalid for ${kind}`)]
    : errors;
}

/** Whether the labels of a template are selected; an empty selector leaves that to its own error. */
export function templateIsSelected(spec: JsonObject, selector: LabelSelector): boolean {
  const given = obj(spec, "selector");
  if (given !== undefined && isEmptySelector(given)) return true;
  return matchesLabels(selector, obj(at(spec, "template", "metadata"), "labels"));
}
