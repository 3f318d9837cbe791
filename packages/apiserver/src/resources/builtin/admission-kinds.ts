// The kinds of admissionregistration.k8s.io (k/k: pkg/apis/admissionregistration/validation).
import {
  compileAdmission,
  duplicate,
  forbidden,
  invalid,
  invalidEach,
  isDns1035Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isQualifiedName,
  notSupported,
  required,
  validateLabelSelector,
  type AdmissionScope,
  type CelProgram,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, getOwn, type JsonObject } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, has, num, obj, objs, str, strs } from "./access.js";
import { expressionErrors } from "./admission-expressions.js";
import { requiredText } from "./rules.js";
import { builtinStrategy } from "./strategy.js";
import { clientConfigErrors, matchConditionErrors, namedRuleErrors, namesOf, ruleErrors } from "./webhook-rules.js";

const GROUP = "admissionregistration.k8s.io/v1";

/** The strategies of these kinds. */
export function admissionStrategies(): readonly ResourceStrategy[] {
  return [
    ...["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"].map((kind) =>
      builtinStrategy(`${GROUP}/${kind}`, {
        anyFinalizer: true,
        validateCreate: (object) => configurationErrors(object, undefined),
        validateUpdate: configurationErrors,
      }),
    ),
    builtinStrategy(`${GROUP}/ValidatingAdmissionPolicy`, {
      anyFinalizer: true,
      validateCreate: (object) => policyErrors(object, false),
      validateUpdate: (object, live) =>
        policyErrors(
          object,
          ["paramKind", "matchConditions"].every((key) => sameMember(at(object, "spec"), at(live, "spec"), key)),
        ),
    }),
    builtinStrategy(`${GROUP}/ValidatingAdmissionPolicyBinding`, {
      anyFinalizer: true,
      validateCreate: (object) => bindingErrors(at(object, "spec")),
    }),
  ];
}

function sameMember(object: JsonObject, live: JsonObject, key: string): boolean {
  return deepEqual(getOwn(object, key) ?? null, getOwn(live, key) ?? null);
}

const FAILURE_POLICIES: readonly string[] = ["Fail", "Ignore"];
const MATCH_POLICIES: readonly string[] = ["Equivalent", "Exact"];
const NO_SIDE_EFFECTS: readonly string[] = ["None", "NoneOnDryRun"];
const SIDE_EFFECTS: readonly string[] = [...NO_SIDE_EFFECTS, "Some", "Unknown"];
const REVIEW_VERSIONS: readonly string[] = ["v1", "v1beta1"];

/** What an update does not ask for, since the stored object lacks it already. */
interface HookRules {
  readonly sideEffects: readonly string[];
  readonly knownVersion: boolean;
  readonly conditions: boolean;
}

function configurationErrors(object: JsonObject, live: JsonObject | undefined): readonly FieldError[] {
  const old = objs(live, "webhooks");
  const hooks = objs(object, "webhooks");
  const quiet = old.every((hook) => NO_SIDE_EFFECTS.includes(str(hook, "sideEffects")));
  const rules: HookRules = {
    sideEffects: quiet ? NO_SIDE_EFFECTS : SIDE_EFFECTS,
    knownVersion: old.every(
      (hook) =>
        strs(hook, "admissionReviewVersions").length === 0 ||
        strs(hook, "admissionReviewVersions").some((version) => REVIEW_VERSIONS.includes(version)),
    ),
    conditions:
      live === undefined ||
      old.length !== hooks.length ||
      !hooks.every((hook, i) => sameMember(hook, old[i] ?? {}, "matchConditions")),
  };
  const oldNames = live === undefined ? [] : namesOf(live, "webhooks");
  const unique = new Set(oldNames).size === oldNames.length;
  const names = new Set<string>();
  return hooks.flatMap((hook, i) => {
    const name = str(hook, "name");
    const repeated = unique && name !== "" && names.has(name) ? [duplicate(`webhooks[${i}].name`, name)] : [];
    names.add(name);
    return [
      ...hookErrors(hook, `webhooks[${i}]`, rules),
      ...versionErrors(hook, `webhooks[${i}].admissionReviewVersions`, rules),
      ...repeated,
    ];
  });
}

function oneOf(hook: JsonObject, key: string, path: string, supported: readonly string[]): readonly FieldError[] {
  const value = str(hook, key);
  return has(hook, key) && !supported.includes(value) ? [notSupported(`${path}.${key}`, value, supported)] : [];
}

function hookErrors(hook: JsonObject, path: string, rules: HookRules): readonly FieldError[] {
  const seconds = num(hook, "timeoutSeconds");
  return [
    ...hookNameErrors(str(hook, "name"), `${path}.name`),
    ...objs(hook, "rules").flatMap((rule, i) => ruleErrors(rule, `${path}.rules[${i}]`)),
    ...oneOf(hook, "failurePolicy", path, FAILURE_POLICIES),
    ...oneOf(hook, "matchPolicy", path, MATCH_POLICIES),
    ...(has(hook, "sideEffects")
      ? []
      : [required(`${path}.sideEffects`, `must specify one of ${rules.sideEffects.join(", ")}`)]),
    ...oneOf(hook, "sideEffects", path, rules.sideEffects),
    ...(has(hook, "timeoutSeconds") && (seconds > 30 || seconds < 1)
      ? [invalid(`${path}.timeoutSeconds`, seconds, "the timeout value must be between 1 and 30 seconds")]
      : []),
    ...["namespaceSelector", "objectSelector"].flatMap((key) =>
      validateLabelSelector(obj(hook, key), `${path}.${key}`),
    ),
    ...oneOf(hook, "reinvocationPolicy", path, ["IfNeeded", "Never"]),
    ...clientConfigErrors(
      at(hook, "clientConfig"),
      `${path}.clientConfig`,
      "exactly one of url or service is required",
    ),
    ...(rules.conditions
      ? matchConditionErrors(objs(hook, "matchConditions"), `${path}.matchConditions`, { hasParams: false })
      : []),
  ];
}

function hookNameErrors(name: string, path: string): readonly FieldError[] {
  if (name === "") return [required(path)];
  const wrong = isDns1123Subdomain(name);
  if (wrong.length > 0) return [invalid(path, name, wrong.join(","))];
  return name.split(".").length < 3
    ? [invalid(path, name, "should be a domain with at least three segments separated by dots")]
    : [];
}

function versionErrors(hook: JsonObject, path: string, { knownVersion }: HookRules): readonly FieldError[] {
  const versions = strs(hook, "admissionReviewVersions");
  if (versions.length === 0) return [required(path, `must specify one of ${REVIEW_VERSIONS.join(", ")}`)];
  const errors = versions.flatMap((version, i) =>
    versions.indexOf(version) < i
      ? [invalid(`${path}[${i}]`, version, "duplicate version")]
      : invalidEach(`${path}[${i}]`, version, isDns1035Label(version)),
  );
  const known = versions.some((version) => REVIEW_VERSIONS.includes(version));
  return known || !knownVersion
    ? errors
    : [...errors, invalid(path, [...versions], `must include at least one of ${REVIEW_VERSIONS.join(", ")}`)];
}

function policyErrors(object: JsonObject, sameConditions: boolean): readonly FieldError[] {
  const spec = at(object, "spec");
  const policy = str(spec, "failurePolicy");
  const paramKind = obj(spec, "paramKind");
  const constraints = obj(spec, "matchConstraints");
  const errors: FieldError[] = [];
  if (!has(spec, "failurePolicy")) errors.push(required("spec.failurePolicy"));
  else if (!FAILURE_POLICIES.includes(policy))
    errors.push(notSupported("spec.failurePolicy", policy, FAILURE_POLICIES));
  if (paramKind !== undefined) errors.push(...paramKindErrors(paramKind, "spec.paramKind"));
  if (constraints === undefined) errors.push(required("spec.matchConstraints"));
  else {
    errors.push(...matchErrors(constraints, "spec.matchConstraints"));
    if (objs(constraints, "resourceRules").length === 0) errors.push(required("spec.matchConstraints.resourceRules"));
  }
  const hasParams = paramKind !== undefined;
  if (!sameConditions)
    errors.push(...matchConditionErrors(objs(spec, "matchConditions"), "spec.matchConditions", { hasParams }));
  const types = new Map<string, CelProgram["type"]>();
  const scope: AdmissionScope = { hasParams, variables: types };
  for (const [i, variable] of objs(spec, "variables").entries()) {
    const path = `spec.variables[${i}]`;
    errors.push(...variableErrors(variable, path));
    const text = str(variable, "expression");
    if (text.trim() === "") continue;
    const compiled = compileAdmission(text, "any", scope);
    if (compiled.ok) types.set(str(variable, "name"), compiled.program.type);
    else errors.push(invalid(`${path}.expression`, text, compiled.problem));
  }
  return [...errors, ...validationErrors(object, scope)];
}

function paramKindErrors(kind: JsonObject, path: string): readonly FieldError[] {
  const name = str(kind, "kind");
  const errors = [...paramVersionErrors(str(kind, "apiVersion"), `${path}.apiVersion`)];
  if (name === "") return [...errors, required(`${path}.kind`)];
  const wrong = isDns1035Label(name.toLowerCase());
  return wrong.length === 0
    ? errors
    : [...errors, invalid(`${path}.kind`, name, `may have mixed case, but should otherwise match: ${wrong.join(",")}`)];
}

function paramVersionErrors(text: string, path: string): readonly FieldError[] {
  if (text === "") return [required(path)];
  const parts = text.split("/");
  if (parts.length > 2) return [invalid(path, text, `unexpected GroupVersion string: ${text}`)];
  const [group = "", version = ""] = parts.length === 2 ? parts : ["", text];
  const wrongGroup = group === "" ? [] : isDns1123Subdomain(group);
  const errors = wrongGroup.length === 0 ? [] : [invalid(path, group, wrongGroup.join(","))];
  if (version === "") return [...errors, invalid(path, text, "version must be specified")];
  const wrong = isDns1035Label(version);
  return wrong.length === 0 ? errors : [...errors, invalid(path, version, wrong.join(","))];
}

function matchErrors(match: JsonObject, path: string): readonly FieldError[] {
  const selectors = ["namespaceSelector", "objectSelector"];
  return [
    ...(has(match, "matchPolicy")
      ? oneOf(match, "matchPolicy", path, MATCH_POLICIES)
      : [required(`${path}.matchPolicy`)]),
    ...selectors.flatMap((key) =>
      has(match, key) ? validateLabelSelector(obj(match, key), `${path}.${key}`) : [required(`${path}.${key}`)],
    ),
    ...["resourceRules", "excludeResourceRules"].flatMap((key) =>
      objs(match, key).flatMap((rule, i) => namedRuleErrors(rule, `${path}.${key}[${i}]`)),
    ),
  ];
}

const RESERVED: ReadonlySet<string> = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);

function variableErrors(variable: JsonObject, path: string): readonly FieldError[] {
  const name = str(variable, "name");
  const errors: FieldError[] = [];
  if (name.trim() === "") errors.push(required(`${path}.name`, "name is not specified"));
  else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || RESERVED.has(name))
    errors.push(invalid(`${path}.name`, name, "must be a valid CEL identifier"));
  return str(variable, "expression").trim() === ""
    ? [...errors, required(`${path}.expression`, "expression is not specified")]
    : errors;
}

const LONGEST_ANNOTATION = 5 * 1024;
const MOST_ANNOTATIONS = 20;

function validationErrors(object: JsonObject, scope: AdmissionScope): readonly FieldError[] {
  const spec = at(object, "spec");
  const [validations, annotations] = [objs(spec, "validations"), objs(spec, "auditAnnotations")];
  const missing = "validations or auditAnnotations must contain at least one item";
  if (validations.length === 0 && annotations.length === 0)
    return [required("spec.validations", missing), required("spec.auditAnnotations", missing)];
  const path = "spec.auditAnnotations";
  const keys = annotations.map((annotation) => str(annotation, "key"));
  return [
    ...validations.flatMap((validation, i) => oneValidationErrors(validation, `spec.validations[${i}]`, scope)),
    ...(annotations.length > MOST_ANNOTATIONS
      ? [invalid(path, [...annotations], `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`)]
      : []),
    ...annotations.flatMap((annotation, i) => [
      ...annotationErrors(annotation, `${path}[${i}]`, str(at(object, "metadata"), "name")),
      ...expressionErrors(str(annotation, "valueExpression"), `${path}[${i}].valueExpression`, {
        result: "annotation",
        scope,
      }),
      ...(keys.indexOf(keys[i] ?? "") < i ? [duplicate(`${path}[${i}].key`, keys[i] ?? "")] : []),
    ]),
  ];
}

function oneValidationErrors(validation: JsonObject, path: string, scope: AdmissionScope): readonly FieldError[] {
  const [message, expression] = [str(validation, "message"), str(validation, "messageExpression")];
  const text = str(validation, "expression");
  const errors: FieldError[] =
    text.trim() === ""
      ? [required(`${path}.expression`, "expression is not specified")]
      : [...expressionErrors(text, `${path}.expression`, { result: "bool", scope })];
  if (expression !== "" && expression.trim() === "")
    errors.push(invalid(`${path}.messageExpression`, expression, "must be non-empty if specified"));
  errors.push(...expressionErrors(expression, `${path}.messageExpression`, { result: "string", scope }));
  if (message !== "" && message.trim() === "")
    errors.push(invalid(`${path}.message`, message, "must be non-empty if specified"));
  else if (/[\r\n]/.test(message.trim()))
    errors.push(invalid(`${path}.message`, message, "must not contain line breaks"));
  else if (/[\r\n]/.test(text.trim()) && message.trim() === "")
    errors.push(required(`${path}.message`, "message must be specified if expression contains line breaks"));
  return [...errors, ...oneOf(validation, "reason", path, ["Forbidden", "Invalid", "RequestEntityTooLarge"])];
}

function annotationErrors(annotation: JsonObject, path: string, policy: string): readonly FieldError[] {
  const key = str(annotation, "key");
  const expression = str(annotation, "valueExpression").trim();
  const full = `${policy}/${key}`;
  return [
    ...(policy === ""
      ? [invalid(`${path}.key`, key, "requires metadata.name be non-empty")]
      : invalidEach(`${path}.key`, full, isQualifiedName(full))),
    ...(expression === "" ? [required(`${path}.valueExpression`, "valueExpression is not specified")] : []),
    ...(expression.length > LONGEST_ANNOTATION
      ? [required(`${path}.valueExpression`, `must not exceed ${LONGEST_ANNOTATION} bytes in length`)]
      : []),
  ];
}

function bindingErrors(spec: JsonObject): readonly FieldError[] {
  const match = obj(spec, "matchResources");
  return [
    ...requiredText(str(spec, "policyName"), "spec.policyName", isDns1123Subdomain),
    ...paramRefErrors(obj(spec, "paramRef"), "spec.paramRef"),
    ...(match === undefined ? [] : matchErrors(match, "spec.matchResources")),
    ...actionErrors(strs(spec, "validationActions"), "spec.validationActions"),
  ];
}

function paramRefErrors(reference: JsonObject | undefined, path: string): readonly FieldError[] {
  if (reference === undefined) return [];
  const name = str(reference, "name");
  const selector = obj(reference, "selector");
  const both = "name and selector are mutually exclusive";
  const clash = name !== "" && selector !== undefined;
  return [
    ...(name === "" ? [] : invalidEach(`${path}.name`, name, isPathSegmentName(name))),
    ...(clash ? [forbidden(`${path}.name`, both)] : []),
    ...validateLabelSelector(selector, `${path}.selector`),
    ...(clash ? [forbidden(`${path}.selector`, both)] : []),
    ...(name === "" && selector === undefined ? [required(path, "one of name or selector must be specified")] : []),
    ...(str(reference, "parameterNotFoundAction") === ""
      ? [required(`${path}.parameterNotFoundAction`)]
      : oneOf(reference, "parameterNotFoundAction", path, ["Deny", "Allow"])),
  ];
}

function actionErrors(actions: readonly string[], path: string): readonly FieldError[] {
  const known = ["Audit", "Deny", "Warn"];
  const errors = actions.flatMap((action, i) => [
    ...(known.includes(action) ? [] : [notSupported(`${path}[${i}]`, action, known)]),
    ...(actions.indexOf(action) < i ? [duplicate(`${path}[${i}]`, action)] : []),
  ]);
  if (actions.includes("Deny") && actions.includes("Warn")) {
    errors.push(
      invalid(
        path,
        [...actions],
        "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
      ),
    );
  }
  return actions.length === 0 ? [...errors, required(path, "at least one validation action is required")] : errors;
}
