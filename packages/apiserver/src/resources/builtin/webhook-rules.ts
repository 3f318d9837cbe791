// How other servers are called, and which requests are sent to them: rules that webhooks, policies and conversions share
// (k/k: pkg/apis/admissionregistration/validation; apiserver: pkg/util/webhook/validation.go).
import {
  duplicate,
  GoUrlError,
  invalid,
  invalidEach,
  isDns1123Subdomain,
  isPathSegmentName,
  isPortNumber,
  isQualifiedName,
  notSupported,
  parseGoUrl,
  required,
  tooMany,
  type AdmissionScope,
  type FieldError,
} from "@fairlead/apimachinery";
import { has, num, obj, objs, str, strs } from "./access.js";
import { expressionErrors } from "./admission-expressions.js";
import type { JsonObject } from "@fairlead/base";

const OPERATIONS: readonly string[] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES: readonly string[] = ["*", "Cluster", "Namespaced"];
const MOST_CONDITIONS = 64;
const FORM = "; desired format: https://host[/path]";

/** Where a webhook is: a URL or a Service. */
export function clientConfigErrors(config: JsonObject, path: string, missing: string): readonly FieldError[] {
  const service = obj(config, "service");
  const hasUrl = has(config, "url");
  if (hasUrl === (service !== undefined)) return [required(path, missing)];
  return service === undefined
    ? urlErrors(str(config, "url"), `${path}.url`)
    : serviceErrors(service, `${path}.service`);
}

function urlErrors(text: string, path: string): readonly FieldError[] {
  let url;
  try {
    url = parseGoUrl(text);
  } catch (error) {
    if (error instanceof GoUrlError) return [required(path, `url must be a valid URL: ${error.message}${FORM}`)];
    throw error;
  }
  const { scheme, user, host, query, fragment } = url;
  const errors: FieldError[] = [];
  if (scheme !== "https") errors.push(invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (host === "") errors.push(invalid(path, host, `host must be specified${FORM}`));
  if (user !== undefined) errors.push(invalid(path, user, "user information is not permitted in the URL"));
  if (fragment !== "") errors.push(invalid(path, fragment, "fragments are not permitted in the URL"));
  return query === "" ? errors : [...errors, invalid(path, query, "query parameters are not permitted in the URL")];
}

function serviceErrors(service: JsonObject, path: string): readonly FieldError[] {
  const port = num(service, "port");
  const wrong = isPortNumber(port);
  const errors: FieldError[] = [];
  // Kubernetes confuses the two, and clients see it.
  if (str(service, "namespace") === "") errors.push(required(`${path}.name`));
  if (str(service, "name") === "") errors.push(required(`${path}.namespace`));
  if (wrong.length > 0) errors.push(invalid(`${path}.port`, port, `port is not valid: ${wrong.join(", ")}`));
  return has(service, "path") ? [...errors, ...pathErrors(str(service, "path"), `${path}.path`)] : errors;
}

function pathErrors(text: string, path: string): readonly FieldError[] {
  if (text === "/" || text === "") return [];
  if (text === "//") return [invalid(path, text, "segment[0] may not be empty")];
  const errors = text.startsWith("/") ? [] : [invalid(path, text, "must start with a '/'")];
  const segments = text.slice(1).replace(/\/$/, "").split("/");
  return [
    ...errors,
    ...segments.flatMap((segment, i) =>
      segment === ""
        ? [invalid(path, text, `segment[${i}] may not be empty`)]
        : isDns1123Subdomain(segment).map((message) => invalid(path, text, `segment[${i}]: ${message}`)),
    ),
  ];
}

/** Which requests a rule is about. */
export function ruleErrors(rule: JsonObject, path: string): readonly FieldError[] {
  const operations = strs(rule, "operations");
  const [groups, versions] = [strs(rule, "apiGroups"), strs(rule, "apiVersions")];
  const scope = str(rule, "scope");
  return [
    ...listErrors(operations, `${path}.operations`, "operations"),
    ...operations.flatMap((operation, i) =>
      OPERATIONS.includes(operation) ? [] : [notSupported(`${path}.operations[${i}]`, operation, OPERATIONS)],
    ),
    ...listErrors(groups, `${path}.apiGroups`, "API groups"),
    ...listErrors(versions, `${path}.apiVersions`, "API versions"),
    ...versions.flatMap((version, i) => (version === "" ? [required(`${path}.apiVersions[${i}]`)] : [])),
    ...resourceErrors(strs(rule, "resources"), `${path}.resources`),
    ...(has(rule, "scope") && !SCOPES.includes(scope) ? [notSupported(`${path}.scope`, scope, SCOPES)] : []),
  ];
}

function listErrors(values: readonly string[], path: string, what: string): readonly FieldError[] {
  if (values.length === 0) return [required(path)];
  return values.length > 1 && values.includes("*")
    ? [invalid(path, [...values], `if '*' is present, must not specify other ${what}`)]
    : [];
}

function resourceErrors(resources: readonly string[], path: string): readonly FieldError[] {
  if (resources.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const [all, anywhere] = [new Set<string>(), new Set<string>()];
  let plain = false;
  for (const [i, text] of resources.entries()) {
    const slash = text.indexOf("/");
    if (text === "") errors.push(required(`${path}[${i}]`));
    if (text === "") continue;
    if (slash < 0) {
      plain = text !== "*";
      continue;
    }
    const [resource, sub] = [text.slice(0, slash), text.slice(slash + 1)];
    if (all.has(resource))
      errors.push(invalid(`${path}[${i}]`, text, `if '${resource}/*' is present, must not specify ${text}`));
    if (anywhere.has(sub))
      errors.push(invalid(`${path}[${i}]`, text, `if '*/${sub}' is present, must not specify ${text}`));
    if (sub === "*") all.add(resource);
    if (resource === "*") anywhere.add(sub);
  }
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(invalid(path, [...resources], "if '*/*' is present, must not specify other resources"));
  if (resources.includes("*") && plain)
    errors.push(
      invalid(path, [...resources], "if '*' is present, must not specify other resources without subresources"),
    );
  return errors;
}

/** A rule that may name single objects. */
export function namedRuleErrors(rule: JsonObject, path: string): readonly FieldError[] {
  const names = strs(rule, "resourceNames");
  return [
    ...names.flatMap((name, i) => [
      ...invalidEach(`${path}.resourceNames[${i}]`, name, isPathSegmentName(name)),
      ...(names.indexOf(name) < i ? [duplicate(`${path}.resourceNames[${i}]`, name)] : []),
    ]),
    ...ruleErrors(rule, path),
  ];
}

/** Names of conditions stand once; their expressions are not looked into. */
export function matchConditionErrors(
  conditions: readonly JsonObject[],
  path: string,
  scope: AdmissionScope,
): readonly FieldError[] {
  const seen = new Set<string>();
  const errors = conditions.length > MOST_CONDITIONS ? [tooMany(path, conditions.length, MOST_CONDITIONS)] : [];
  return [
    ...errors,
    ...conditions.flatMap((condition, i) => {
      const name = str(condition, "name");
      const repeated = name !== "" && seen.has(name) ? [duplicate(`${path}[${i}].name`, name)] : [];
      seen.add(name);
      return [
        ...(str(condition, "expression").trim() === "" ? [required(`${path}[${i}].expression`)] : []),
        ...expressionErrors(str(condition, "expression"), `${path}[${i}].expression`, { result: "bool", scope }),
        ...(name === ""
          ? [required(`${path}[${i}].name`)]
          : invalidEach(`${path}[${i}].name`, name, isQualifiedName(name))),
        ...repeated,
      ];
    }),
  ];
}

/** The names of all objects in a list of objects. */
export function namesOf(holder: JsonObject, key: string): readonly string[] {
  return objs(holder, key).map((each) => str(each, "name"));
}
