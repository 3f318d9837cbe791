import { getOwn, getPath, isArray, isObject, type JsonObject } from "@fairlead/base";

import { gvkOf, nameOf } from "./documents.js";
import { podSpecProblems } from "./pod-policy.js";
import { sanitized } from "./sanitize.js";
import { withOwnSelectors } from "./selectors.js";
import { serviceProblems, targetProblems, type TargetService } from "./service-policy.js";

/** Which of a chart's objects may be applied, and in which form. */
export interface Policy {
  readonly name: "default" | "unrestricted" | "trusted";
  admit(objects: readonly JsonObject[], where: Destination): Admitted;
}

/** What a chart is rendered for. */
export interface Destination {
  readonly namespace: string;
  /** SHA-256 of a text in hex. */
  readonly digest: (text: string) => string;
  /** The Service that calls come in by, where the request names one. */
  readonly target?: TargetService;
}

export interface Admitted {
  /** What may be applied; meaningless when there are errors. */
  readonly objects: readonly JsonObject[];
  /** Why the chart is refused; each names the object and what to do. */
  readonly errors: readonly string[];
}

const MAX_DOCUMENTS = 300;
const MAX_DOCUMENT_BYTES = 1024 * 1024 + 1024;
const ALLOWED = new Set([
  "v1/Pod",
  "apps/v1/Deployment",
  "apps/v1/ReplicaSet",
  "apps/v1/StatefulSet",
  "batch/v1/Job",
  "batch/v1/CronJob",
  "v1/Service",
  "v1/ConfigMap",
  "v1/Secret",
  "v1/PersistentVolumeClaim",
  "v1/ServiceAccount",
  "rbac.authorization.k8s.io/v1/Role",
  "rbac.authorization.k8s.io/v1/RoleBinding",
]);

/** Few kinds, hardened pods, and metadata that cannot reach beyond the instance. For charts of strangers. */
export const defaultPolicy: Policy = {
  name: "default",
  admit: (objects, where) => {
    const errors = [...limitProblems(objects), ...kindProblems(objects)];
    if (errors.length > 0) return { objects, errors };
    const clean = withOwnSelectors(sanitized(objects), where);
    const target = where.target === undefined ? [] : targetProblems(clean, where.target);
    return {
      objects: clean,
      errors: [...clean.flatMap((o) => podSpecProblems(o)), ...serviceProblems(clean), ...target],
    };
  },
};

/** Few kinds, as they were rendered. */
export const unrestrictedPolicy: Policy = {
  name: "unrestricted",
  admit: (objects) => ({ objects, errors: [...limitProblems(objects), ...kindProblems(objects)] }),
};

/** Every served kind, cluster-scoped ones and definitions included; the namespace is pinned. For one's own chart on one's own machine. */
export const trustedPolicy: Policy = {
  name: "trusted",
  admit: (objects, { namespace }) => ({
    objects,
    errors: [...limitProblems(objects), ...objects.flatMap((o) => foreignNamespace(o, namespace))],
  }),
};

export const POLICIES: ReadonlyMap<string, Policy> = new Map(
  [defaultPolicy, unrestrictedPolicy, trustedPolicy].map((p) => [p.name, p]),
);

/** What the default policy would say of a chart that another one let in, in one line; undefined when nothing. */
export function defaultRefusal(objects: readonly JsonObject[], where: Destination): string | undefined {
  const { errors } = defaultPolicy.admit(objects, where);
  const [first] = errors;
  if (first === undefined) return undefined;
  return errors.length === 1 ? first : `${first} (and ${errors.length - 1} more)`;
}

function limitProblems(objects: readonly JsonObject[]): readonly string[] {
  const problems: string[] = [];
  if (objects.length > MAX_DOCUMENTS)
    problems.push(`the chart renders ${objects.length} objects; at most ${MAX_DOCUMENTS} are allowed`);
  for (const object of objects) {
    const size = JSON.stringify(object).length;
    if (size > MAX_DOCUMENT_BYTES)
      problems.push(`${label(object)} has ${size} bytes; at most ${MAX_DOCUMENT_BYTES} are allowed`);
  }
  return problems;
}

function kindProblems(objects: readonly JsonObject[]): readonly string[] {
  const refused = new Set<string>();
  for (const object of objects) {
    const { group, version, kind } = gvkOf(object);
    const id = group === "" ? `${version}/${kind}` : `${group}/${version}/${kind}`;
    if (!ALLOWED.has(id)) refused.add(`${group === "" ? "core" : group}/${version}.${kind}`);
  }
  if (refused.size === 0) return [];
  return [
    `unsupported types: [${[...refused]
      .sort()
      .map((t) => JSON.stringify(t))
      .join(" ")}]`,
  ];
}

/** An object that names another namespace: the service has one, and everything goes there. */
function foreignNamespace(object: JsonObject, namespace: string): readonly string[] {
  const given = getPath(object, "metadata", "namespace");
  if (typeof given !== "string" || given === "" || given === namespace || given === "default") return [];
  const subjects = getOwn(object, "subjects");
  if (isArray(subjects) && subjects.some((s) => isObject(s) && s["namespace"] === namespace)) return [];
  return [
    `${label(object)} names namespace ${given}; a service's objects live in ${namespace}: leave metadata.namespace out of the template`,
  ];
}

export function label(object: JsonObject): string {
  return `${String(object["kind"])} ${nameOf(object)}`;
}
