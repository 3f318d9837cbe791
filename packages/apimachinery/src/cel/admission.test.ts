import { describe, expect, it } from "vitest";
import { compileAdmission, type AdmissionResult, type AdmissionScope } from "./admission.js";
import { INT } from "./check/types.js";

const BARE: AdmissionScope = { hasParams: false };

function problem(text: string, result: AdmissionResult = "bool", scope: AdmissionScope = BARE): string | undefined {
  const compiled = compileAdmission(text, result, scope);
  return compiled.ok ? undefined : compiled.problem;
}

describe("expressions of admission", () => {
  it.each([
    ["object.spec.replicas <= 5 && oldObject == null"],
    ["request.userInfo.groups.exists(g, g == 'system:masters') && request.kind.group == 'apps'"],
    ["namespaceObject.metadata.labels['environment'] == 'prod'"],
    ["authorizer.group('apps').resource('deployments').namespace('n').check('create').allowed()"],
    ["authorizer.requestResource.check('breakglass').reason() == ''"],
    ["authorizer.path('/healthz').check('get').errored()"],
  ])("may say %s", (text) => {
    expect(problem(text)).toBeUndefined();
  });

  it.each([
    ["params.limit > 1", "undeclared reference to 'params'"],
    ["variables.a > 1", "undeclared reference to 'variables'"],
    ["request.nothing == ''", "undefined field 'nothing'"],
    ["request.name > 1", "found no matching overload for '_>_' applied to '(string, int)'"],
    ["authorizer.allowed()", "found no matching overload for 'allowed'"],
  ])("may not say %s", (text, words) => {
    expect(problem(text)).toContain(`compilation failed: ERROR: <input>:1:`);
    expect(problem(text)).toContain(words);
  });

  it("names parameters and variables where there are some", () => {
    const scope = { hasParams: true, variables: new Map([["a", INT]]) };
    expect(problem("variables.a < params.limit", "bool", scope)).toBeUndefined();
    expect(problem("variables.a", "string", scope)).toBe("must evaluate to string but got int");
    expect(problem("variables.b", "any", scope)).toContain("undefined field 'b'");
  });

  it("gives what its place asks for", () => {
    expect(problem("1")).toBe("must evaluate to bool but got int");
    expect(problem("'a' + object.metadata.name", "string")).toBeUndefined();
    expect(problem("null", "annotation")).toBeUndefined();
    expect(problem("1", "annotation")).toBe("must evaluate to one of [string null_type]");
    expect(problem("[1]", "any")).toBeUndefined();
  });
});
