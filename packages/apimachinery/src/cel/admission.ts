// Expressions of admission: what they may name, and what they must give (apiserver: pkg/admission/plugin/cel/compile.go).
import type { CelType } from "./check/types.js";
import {
  BOOL,
  DYN,
  formatType,
  INT,
  listOf,
  mapOf,
  NULL,
  sameType,
  STRING,
  structType,
  TIMESTAMP,
} from "./check/types.js";
import { compileExpression, type CelProgram, type Environment } from "./expression.js";
import { AUTHORIZER } from "./lib/authorization.js";

type Fields = ReadonlyMap<string, CelType>;

const fields = (table: Readonly<Record<string, CelType>>): Fields => new Map(Object.entries(table));

const REQUEST = structType("kubernetes.AdmissionRequest");
const KIND = structType("kubernetes.GroupVersionKind");
const RESOURCE = structType("kubernetes.GroupVersionResource");
const USER = structType("kubernetes.UserInfo");
const NAMESPACE = structType("kubernetes.Namespace");
const NAMESPACE_META = structType("kubernetes.NamespaceMetadata");
const NAMESPACE_SPEC = structType("kubernetes.NamespaceSpec");
const NAMESPACE_STATUS = structType("kubernetes.NamespaceStatus");
const VARIABLES = structType("kubernetes.variables");

const TABLES: ReadonlyMap<string, Fields> = new Map([
  [
    REQUEST.name,
    fields({
      kind: KIND,
      resource: RESOURCE,
      subResource: STRING,
      requestKind: KIND,
      requestResource: RESOURCE,
      requestSubResource: STRING,
      name: STRING,
      namespace: STRING,
      operation: STRING,
      userInfo: USER,
      dryRun: BOOL,
      options: DYN,
    }),
  ],
  [KIND.name, fields({ group: STRING, version: STRING, kind: STRING })],
  [RESOURCE.name, fields({ group: STRING, version: STRING, resource: STRING })],
  [USER.name, fields({ username: STRING, uid: STRING, groups: listOf(STRING), extra: mapOf(STRING, listOf(STRING)) })],
  [NAMESPACE.name, fields({ metadata: NAMESPACE_META, spec: NAMESPACE_SPEC, status: NAMESPACE_STATUS })],
  [
    NAMESPACE_META.name,
    fields({
      name: STRING,
      generateName: STRING,
      namespace: STRING,
      labels: mapOf(STRING, STRING),
      annotations: mapOf(STRING, STRING),
      UID: STRING,
      creationTimestamp: TIMESTAMP,
      deletionGracePeriodSeconds: INT,
      deletionTimestamp: TIMESTAMP,
      generation: INT,
      resourceVersion: STRING,
      finalizers: listOf(STRING),
    }),
  ],
  [NAMESPACE_SPEC.name, fields({ finalizers: listOf(STRING) })],
  [NAMESPACE_STATUS.name, fields({ phase: STRING })],
]);

export interface AdmissionScope {
  /** Whether `params` may be named. */
  readonly hasParams: boolean;
  /** The types of `variables.…`; undefined where there are no variables at all. */
  readonly variables?: ReadonlyMap<string, CelType>;
}

/** What an expression gives: a decision, a message, the value of an annotation, or whatever a variable is. */
export type AdmissionResult = "bool" | "string" | "annotation" | "any";

const RESULTS: Readonly<Record<AdmissionResult, readonly CelType[]>> = {
  bool: [BOOL],
  string: [STRING],
  annotation: [STRING, NULL],
  any: [],
};

export type AdmissionExpression =
  { readonly ok: true; readonly program: CelProgram } | { readonly ok: false; readonly problem: string };

/** Compiles an expression of a policy or of a webhook's conditions, or tells what is wrong with it. */
export function compileAdmission(text: string, result: AdmissionResult, scope: AdmissionScope): AdmissionExpression {
  const compiled = compileExpression(text, environment(scope));
  if (!compiled.ok) return { ok: false, problem: `compilation failed: ${compiled.message}` };
  const { program } = compiled;
  const [wanted, ...others] = RESULTS[result];
  if (wanted === undefined || [wanted, ...others].some((type) => sameType(type, program.type)))
    return { ok: true, program };
  return {
    ok: false,
    problem:
      others.length === 0
        ? `must evaluate to ${wanted.name} but got ${formatType(program.type)}`
        : `must evaluate to one of [${[wanted, ...others].map((type) => type.name).join(" ")}]`,
  };
}

function environment({ hasParams, variables }: AdmissionScope): Environment {
  return {
    variables: new Map([
      ["object", DYN],
      ["oldObject", DYN],
      ["request", REQUEST],
      ["namespaceObject", NAMESPACE],
      ["authorizer", AUTHORIZER],
      ["authorizer.requestResource", structType("kubernetes.authorization.ResourceCheck")],
      ...(hasParams ? ([["params", DYN]] as const) : []),
      ...(variables === undefined ? [] : ([["variables", VARIABLES]] as const)),
    ]),
    fields: (name) => (name === VARIABLES.name ? variables : TABLES.get(name)),
  };
}
