// metav1.Condition (apimachinery: pkg/apis/meta/v1/validation).
import {
  byteLength,
  duplicate,
  invalid,
  notSupported,
  regexMessage,
  required,
  tooLong,
  validateLabelName,
  type FieldError,
} from "@fairlead/apimachinery";
import type { JsonObject } from "@fairlead/base";
import { has, num, str } from "./access.js";

const STATUSES: readonly string[] = ["False", "True", "Unknown"];
const REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const REASON_RULE =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
const LONGEST_REASON = 1024;
const LONGEST_MESSAGE = 32 * 1024;

/** What is wrong with conditions, each of whose types stands once. */
export function conditionErrors(conditions: readonly JsonObject[], path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap((condition, i) => {
    const type = str(condition, "type");
    const repeated = seen.has(type) ? [duplicate(`${path}[${i}].type`, type)] : [];
    seen.add(type);
    return [...repeated, ...oneConditionErrors(condition, `${path}[${i}]`)];
  });
}

function oneConditionErrors(condition: JsonObject, path: string): readonly FieldError[] {
  const status = str(condition, "status");
  const generation = num(condition, "observedGeneration");
  return [
    ...validateLabelName(str(condition, "type"), `${path}.type`),
    ...(STATUSES.includes(status) ? [] : [notSupported(`${path}.status`, status, STATUSES)]),
    ...(generation < 0
      ? [invalid(`${path}.observedGeneration`, generation, "must be greater than or equal to zero")]
      : []),
    ...(has(condition, "lastTransitionTime") ? [] : [required(`${path}.lastTransitionTime`)]),
    ...reasonErrors(str(condition, "reason"), `${path}.reason`),
    ...(byteLength(str(condition, "message")) > LONGEST_MESSAGE ? [tooLong(`${path}.message`, LONGEST_MESSAGE)] : []),
  ];
}

function reasonErrors(reason: string, path: string): readonly FieldError[] {
  if (reason === "") return [required(path)];
  const fits = new RegExp(`^${REASON}$`).test(reason);
  return [
    ...(fits
      ? []
      : [
          invalid(
            path,
            reason,
            regexMessage(REASON_RULE, REASON, "my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"),
          ),
        ]),
    ...(byteLength(reason) > LONGEST_REASON ? [tooLong(path, LONGEST_REASON)] : []),
  ];
}
