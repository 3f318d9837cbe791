import { byCodeUnit, getPath, isArray, isObject, type JsonObject } from "@fairlead/base";

import type { Authorizer } from "../auth/authorize.js";
import { grants, matchesPath, rulesOfRole, texts } from "../auth/rbac.js";
import { forbidden, notFound } from "../registry/failures.js";
import type { Storage } from "../storage/storage.js";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.js";

const GROUP = "rbac.authorization.k8s.io";
const KINDS: ReadonlySet<string> = new Set(["roles", "clusterroles", "rolebindings", "clusterrolebindings"]);

/**
 * Nobody grants what they do not hold themselves, unless they may `escalate` the role or `bind` it (k/k:
 * pkg/registry/rbac, policybased).
 */
export function noEscalation(storage: Storage, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: "RoleEscalation",
    mutate: (request) => {
      const { info } = request.endpoint.strategy;
      if (
        request.operation === "DELETE" ||
        info.group !== GROUP ||
        !KINDS.has(info.resource) ||
        request.object === undefined
      )
        return undefined;
      if (request.context.user.groups.includes("system:masters")) return undefined;
      const wanted = info.resource.endsWith("bindings")
        ? boundRules(storage, authorizer, request)
        : ownRules(authorizer, request);
      const missing = missingRules(heldRules(storage, request), wanted);
      if (missing.length > 0) throw refusal(request, missing);
      return undefined;
    },
  };
}

function ownRules(
  authorizer: Authorizer,
  { context, endpoint, namespace, name, object }: AdmissionRequest,
): readonly JsonObject[] {
  const { resource } = endpoint.strategy.info;
  const may = authorizer(context.user, {
    kind: "resource",
    verb: "escalate",
    group: GROUP,
    resource,
    subresource: "",
    namespace,
    name,
  });
  const rules = object?.["rules"];
  return may.allowed || !isArray(rules) ? [] : rules.filter(isObject);
}

function boundRules(
  storage: Storage,
  authorizer: Authorizer,
  { context, endpoint, namespace, object }: AdmissionRequest,
): readonly JsonObject[] {
  const ref = getPath(object ?? {}, "roleRef");
  if (!isObject(ref)) return [];
  const name = String(ref["name"]);
  const resource = ref["kind"] === "Role" ? "roles" : "clusterroles";
  const may = authorizer(context.user, {
    kind: "resource",
    verb: "bind",
    group: GROUP,
    resource,
    subresource: "",
    namespace,
    name,
  });
  if (may.allowed) return [];
  const rules = rulesOfRole(storage, ref, namespace ?? "");
  if (rules === undefined) throw notFound({ group: GROUP, resource: endpoint.strategy.info.resource }, name);
  return rules;
}

function heldRules(storage: Storage, { context, namespace }: AdmissionRequest): readonly JsonObject[] {
  return [...grants(storage, context.user, namespace)].flatMap((grant) => grant.rules);
}

/** A rule with one of everything. */
interface Atom {
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly url?: string;
  readonly verb: string;
}

/** What of the wanted rules is not held, folded by resource, as its text. */
function missingRules(held: readonly JsonObject[], wanted: readonly JsonObject[]): readonly string[] {
  const missing = new Map<string, { readonly head: string; readonly verbs: string[] }>();
  for (const atom of wanted.flatMap(atomsOf)) {
    if (held.some((rule) => covers(rule, atom))) continue;
    const head = headOf(atom);
    const entry = missing.get(head) ?? { head, verbs: [] };
    if (!entry.verbs.includes(atom.verb)) entry.verbs.push(atom.verb);
    missing.set(head, entry);
  }
  return [...missing.values()].map(({ head, verbs }) => `{${head}, Verbs:${quoted(verbs)}}`).sort(byCodeUnit);
}

function atomsOf(rule: JsonObject): readonly Atom[] {
  const verbs = texts(rule, "verbs");
  const names = texts(rule, "resourceNames");
  const resources = texts(rule, "apiGroups").flatMap((group) =>
    texts(rule, "resources").flatMap((resource) =>
      (names.length === 0 ? [undefined] : names).flatMap((name) =>
        verbs.map((verb): Atom => ({ group, resource, verb, ...(name === undefined ? {} : { name }) })),
      ),
    ),
  );
  return [...resources, ...texts(rule, "nonResourceURLs").flatMap((url) => verbs.map((verb): Atom => ({ url, verb })))];
}

function covers(rule: JsonObject, { group, resource, name, url, verb }: Atom): boolean {
  const verbs = texts(rule, "verbs");
  if (!verbs.includes("*") && !verbs.includes(verb)) return false;
  if (url !== undefined) return texts(rule, "nonResourceURLs").some((pattern) => matchesPath(pattern, url));
  const groups = texts(rule, "apiGroups");
  const resources = texts(rule, "resources");
  const names = texts(rule, "resourceNames");
  const [, sub] = (resource ?? "").split("/");
  return (
    (groups.includes("*") || groups.includes(group ?? "")) &&
    (resources.includes("*") ||
      resources.includes(resource ?? "") ||
      (sub !== undefined && resources.includes(`*/${sub}`))) &&
    (names.length === 0 || (name !== undefined && names.includes(name)))
  );
}

function headOf({ group, resource, name, url }: Atom): string {
  if (url !== undefined) return `NonResourceURLs:${quoted([url])}`;
  const names = name === undefined ? "" : `, ResourceNames:${quoted([name])}`;
  return `APIGroups:${quoted([group ?? ""])}, Resources:${quoted([resource ?? ""])}${names}`;
}

function quoted(values: readonly string[]): string {
  return `[${values.map((v) => JSON.stringify(v)).join(" ")}]`;
}

function refusal({ context, endpoint, name }: AdmissionRequest, missing: readonly string[]): Error {
  const { username, groups } = context.user;
  const who = `user ${JSON.stringify(username)} (groups=${quoted(groups)})`;
  return forbidden(
    endpoint.strategy.info,
    name,
    `${who} is attempting to grant RBAC permissions not currently held:\n${missing.join("\n")}`,
  );
}
