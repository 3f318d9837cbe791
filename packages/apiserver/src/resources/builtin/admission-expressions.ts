import {
  compileAdmission,
  invalid,
  type AdmissionResult,
  type AdmissionScope,
  type FieldError,
} from "@fairlead/apimachinery";

/** What is wrong with an expression in CEL; nothing with one that is empty. */
export function expressionErrors(
  text: string,
  path: string,
  { result, scope }: { readonly result: AdmissionResult; readonly scope: AdmissionScope },
): readonly FieldError[] {
  if (text.trim() === "") return [];
  const compiled = compileAdmission(text, result, scope);
  return compiled.ok ? [] : [invalid(path, text, compiled.problem)];
}
