// Role, ClusterRole and their bindings (k/k: pkg/apis/rbac/validation).
import {
  invalid,
  isDns1123Subdomain,
  isPathSegmentName,
  notSupported,
  required,
  validateLabelSelector,
  invalidEach,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, getOwn, type JsonObject, type JsonValue } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, obj, objs, str, strs } from "./access.js";
import { requiredText } from "./rules.js";
import { selectorOf } from "./selector-rules.js";
import { builtinStrategy, type KindRules } from "./strategy.js";

const GROUP = "rbac.authorization.k8s.io";

/** The strategies of these kinds. */
export function rbacStrategies(): readonly ResourceStrategy[] {
  const named: KindRules = { validateName: isPathSegmentName };
  return [
    builtinStrategy(`${GROUP}/v1/Role`, {
      ...named,
      ...emptyRules,
      validateCreate: (object) => ruleListErrors(object, true),
    }),
    builtinStrategy(`${GROUP}/v1/ClusterRole`, {
      ...named,
      ...emptyRules,
      validateCreate: (object) => [...ruleListErrors(object, false), ...aggregationErrors(object)],
    }),
    builtinStrategy(`${GROUP}/v1/RoleBinding`, { ...named, ...bindingRules(["Role", "ClusterRole"], true) }),
    builtinStrategy(`${GROUP}/v1/ClusterRoleBinding`, { ...named, ...bindingRules(["ClusterRole"], false) }),
  ];
}

/** Who writes an empty list of rules owns it, though what is stored is null. */
const emptyRules: KindRules = { keepsEmpty: [["rules"]] };

function ruleListErrors(object: JsonObject, namespaced: boolean): readonly FieldError[] {
  return objs(object, "rules").flatMap((rule, i) => ruleErrors(rule, `rules[${i}]`, namespaced));
}

function ruleErrors(rule: JsonObject, path: string, namespaced: boolean): readonly FieldError[] {
  const errors: FieldError[] =
    strs(rule, "verbs").length === 0 ? [required(`${path}.verbs`, "verbs must contain at least one value")] : [];
  const urls = strs(rule, "nonResourceURLs");
  if (urls.length > 0) {
    const shown: JsonValue = [...urls];
    const both = ["apiGroups", "resources", "resourceNames"].some((key) => strs(rule, key).length > 0);
    if (namespaced)
      errors.push(invalid(`${path}.nonResourceURLs`, shown, "namespaced rules cannot apply to non-resource URLs"));
    if (both)
      errors.push(
        invalid(`${path}.nonResourceURLs`, shown, "rules cannot apply to both regular resources and non-resource URLs"),
      );
    return errors;
  }
  if (strs(rule, "apiGroups").length === 0)
    errors.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  if (strs(rule, "resources").length === 0)
    errors.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
  return errors;
}

function aggregationErrors(object: JsonObject): readonly FieldError[] {
  const rule = obj(object, "aggregationRule");
  if (rule === undefined) return [];
  const path = "aggregationRule.clusterRoleSelectors";
  const selectors = objs(rule, "clusterRoleSelectors");
  if (selectors.length === 0)
    return [required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  return selectors.flatMap((selector, i) => {
    const parses = selectorOf({ selector }) !== undefined;
    return [
      ...validateLabelSelector(selector, `${path}[${i}]`),
      ...(parses ? [] : [invalid(`${path}[${i}]`, null, "invalid label selector.")]),
    ];
  });
}

function bindingRules(kinds: readonly string[], namespaced: boolean): KindRules {
  const errors = (object: JsonObject): readonly FieldError[] => [
    ...roleErrors(at(object, "roleRef"), kinds),
    ...objs(object, "subjects").flatMap((subject, i) => subjectErrors(subject, `subjects[${i}]`, namespaced)),
  ];
  return {
    validateCreate: errors,
    validateUpdate: (object, live) => {
      const after = at(object, "roleRef");
      if (deepEqual(after, at(live, "roleRef"))) return errors(object);
      const shown = { APIGroup: str(after, "apiGroup"), Kind: str(after, "kind"), Name: str(after, "name") };
      return [...errors(object), invalid("roleRef", shown, "cannot change roleRef")];
    },
  };
}

function roleErrors(role: JsonObject, kinds: readonly string[]): readonly FieldError[] {
  return [
    ...groupErrors(role, "roleRef"),
    ...(kinds.includes(str(role, "kind")) ? [] : [notSupported("roleRef.kind", str(role, "kind"), kinds)]),
    ...requiredText(str(role, "name"), "roleRef.name", isPathSegmentName),
  ];
}

function groupErrors(object: JsonObject, path: string): readonly FieldError[] {
  const group = str(object, "apiGroup");
  return group === GROUP ? [] : [notSupported(`${path}.apiGroup`, group, [GROUP])];
}

function subjectErrors(subject: JsonObject, path: string, namespaced: boolean): readonly FieldError[] {
  const name = str(subject, "name");
  const errors: FieldError[] = name === "" ? [required(`${path}.name`)] : [];
  switch (str(subject, "kind")) {
    case "ServiceAccount":
      if (name !== "") errors.push(...invalidEach(`${path}.name`, name, isDns1123Subdomain(name)));
      if (str(subject, "apiGroup") !== "")
        errors.push(notSupported(`${path}.apiGroup`, getOwn(subject, "apiGroup") ?? "", [""]));
      if (!namespaced && str(subject, "namespace") === "") errors.push(required(`${path}.namespace`));
      return errors;
    case "User":
    case "Group":
      return [...errors, ...groupErrors(subject, path)];
    default:
      return [...errors, notSupported(`${path}.kind`, str(subject, "kind"), ["ServiceAccount", "User", "Group"])];
  }
}
