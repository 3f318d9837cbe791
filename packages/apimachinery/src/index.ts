export * from "./gvk/gvk.js";
export * from "./meta/field-order.js";
export * from "./meta/object-meta.js";
export * from "./meta/resource-version.js";
export * from "./schema/schema.js";
export * from "./status/status.js";
export * from "./validation/field-error.js";
export * from "./schema/builtin.js";
export * from "./schema/go-form.js";
export * from "./validation/quantity.js";
export * from "./jsonpath/json-path.js";
export * from "./schema/decode.js";
export * from "./schema/defaults.js";
export * from "./schema/embedded.js";
export * from "./schema/formats.js";
export * from "./schema/from-unstructured.js";
export * from "./schema/go-regexp.js";
export * from "./schema/list-types.js";
export * from "./schema/prune.js";
export * from "./schema/structural.js";
export * from "./schema/validate.js";
export * from "./validation/errors.js";
export * from "./validation/go-quote.js";
export * from "./validation/ip.js";
export * from "./validation/names.js";
export * from "./validation/object-meta.js";
export * from "./quota/amounts.js";
export * from "./quota/charge.js";
export * from "./quota/evaluator.js";
export * from "./quota/quota.js";
export * from "./quota/resource-names.js";
export { containerAmounts, resourcesOf, type ResourceSide } from "./quota/pod-amounts.js";
export * from "./selectors/field-selector.js";
export * from "./selectors/label-selector.js";
export * from "./selectors/parse-label-selector.js";
export * from "./patch/go-value.js";
export {
  applyJsonPatch,
  unknownJsonPatchMembers,
  MAX_JSON_PATCH_OPERATIONS,
  type JsonPatchOptions,
} from "./patch/json-patch.js";
export { applyMergePatch, type MergePatchOptions } from "./patch/merge-patch.js";
export { applyStrategicMergePatch } from "./patch/strategic-merge-patch.js";
export * from "./schema/custom-object.js";
export { GoUrlError, parseGoUrl, type GoUrl } from "./schema/go-address.js";
export {
  compileAdmission,
  type AdmissionExpression,
  type AdmissionResult,
  type AdmissionScope,
} from "./cel/admission.js";
export { compileExpression, type CelProgram, type Compiled, type Environment, type Outcome } from "./cel/expression.js";
export { compileRules, compileRulesOf, type CompiledRule, type LazyRule, type RuleNode } from "./cel/rules/compile.js";
export { declaredType, maxCardinality, type DeclaredType } from "./cel/rules/declared.js";
export {
  OBJECT_BUDGET,
  validateRules,
  validatingRules,
  type RuleErrors,
  type RuleOptions,
} from "./cel/rules/validate.js";
export { UNBOUNDED as MOST_COST } from "./cel/cost/factors.js";
