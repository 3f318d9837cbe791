import { getOwn, getPath, isArray, isObject, type JsonObject } from "@fairlead/base";

import type { ScopeRequirement } from "./evaluator.js";

/** What the scopes and the scope selector of a quota ask; all must hold. */
export function scopesOf(quota: JsonObject): readonly ScopeRequirement[] {
  const spec = getOwn(quota, "spec");
  const scopes = isObject(spec) ? getOwn(spec, "scopes") : undefined;
  const expressions = getPath(quota, "spec", "scopeSelector", "matchExpressions");
  return [
    ...(isArray(scopes) ? scopes : []).map((name) => ({ scopeName: String(name), operator: "Exists", values: [] })),
    ...(isArray(expressions) ? expressions : []).filter(isObject).map((each) => {
      const values = getOwn(each, "values");
      return {
        scopeName: String(each["scopeName"]),
        operator: String(each["operator"]),
        values: isArray(values) ? values.map(String) : [],
      };
    }),
  ];
}

/** Whether what an object has in a scope, by name, satisfies it. */
export function matchesScope({ operator, values }: ScopeRequirement, names: readonly string[]): boolean {
  switch (operator) {
    case "Exists":
      return names.length > 0;
    case "DoesNotExist":
      return names.length === 0;
    case "In":
      return names.some((name) => values.includes(name));
    case "NotIn":
      return names.length === 0 || names.some((name) => !values.includes(name));
    default:
      return false;
  }
}
