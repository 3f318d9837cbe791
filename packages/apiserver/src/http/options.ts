import { getOwn, isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import {
  parseFieldSelector,
  parseLabelSelector,
  type FieldError,
  type FieldSelector,
  type LabelSelector,
} from "@fairlead/apimachinery";

import type { DeleteOptions } from "../registry/delete.js";
import { badRequest, invalidOptions, serverError } from "../registry/failures.js";
import type { WriteOptions } from "../registry/request.js";
import { isTrue } from "./request-info.js";

/** Query parameters, and bodies of options, as the verbs want them; wrong ones are refused with Kubernetes' words. */

const MANAGER_LIMIT = 128;
const VALIDATIONS = ["", "Ignore", "Strict", "Warn"];

/** @param kind - `CreateOptions`, `UpdateOptions` or `PatchOptions`. */
export function writeOptions(query: URLSearchParams, kind: string, userAgent: string | undefined): WriteOptions {
  const errors: FieldError[] = [
    ...dryRunErrors(query.getAll("dryRun"), query.has("dryRun")),
    ...managerErrors(query.get("fieldManager") ?? ""),
  ];
  const validation = query.get("fieldValidation") ?? "";
  if (!VALIDATIONS.includes(validation)) {
    errors.push({
      type: "FieldValueNotSupported",
      field: "fieldValidation",
      badValue: validation,
      detail: `supported values: ${VALIDATIONS.map((v) => JSON.stringify(v)).join(", ")}`,
    });
  }
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return {
    dryRun: query.has("dryRun"),
    fieldManager: given(query, "fieldManager") ?? managerFromUserAgent(userAgent),
    fieldValidation: validation === "" ? "Warn" : (validation as "Ignore" | "Strict" | "Warn"),
  };
}

/** A parameter that is there and not empty. */
export function given(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name);
  return value === null || value === "" ? undefined : value;
}

/** Options of an apply must name the manager; `force` is theirs alone. */
export function patchOptions(
  query: URLSearchParams,
  apply: boolean,
  userAgent: string | undefined,
): WriteOptions & { readonly force: boolean } {
  const errors: FieldError[] = [];
  if (apply && (query.get("fieldManager") ?? "") === "") {
    errors.push({ type: "FieldValueRequired", field: "fieldManager", detail: "is required for apply patch" });
  }
  if (!apply && query.has("force")) {
    errors.push({ type: "FieldValueForbidden", field: "force", detail: "may not be specified for non-apply patch" });
  }
  if (errors.length > 0) throw invalidOptions("PatchOptions", errors);
  return { ...writeOptions(query, "PatchOptions", userAgent), force: isTrue(query.get("force")) };
}

function dryRunErrors(values: readonly string[], given: boolean): FieldError[] {
  if (!given || values.every((v) => v === "All")) return [];
  return [{ type: "FieldValueNotSupported", field: "dryRun", badValue: values, detail: 'supported values: "All"' }];
}

function managerErrors(manager: string): FieldError[] {
  if (new TextEncoder().encode(manager).length > MANAGER_LIMIT) {
    return [
      { type: "FieldValueTooLong", field: "fieldManager", detail: `may not be more than ${MANAGER_LIMIT} bytes` },
    ];
  }
  let at = 0;
  for (const c of manager) {
    if (/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(c)) {
      at += c.length;
      continue;
    }
    const code = (c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return [
      {
        type: "FieldValueInvalid",
        field: "fieldManager",
        badValue: manager,
        detail: `invalid character U+${code} (at position ${at})`,
      },
    ];
  }
  return [];
}

/** Who writes when the client does not say: the first word of its User-Agent. */
function managerFromUserAgent(userAgent: string | undefined): string {
  const name = (userAgent ?? "").split("/")[0] ?? "";
  return name === "" ? "unknown" : name.slice(0, MANAGER_LIMIT);
}

export interface SelectionOptions {
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
}

/** @param supported - Field names that the kind can be selected by. */
export function selectionOptions(
  query: URLSearchParams,
  supported: (field: string) => string | undefined,
): SelectionOptions {
  const labels = query.get("labelSelector");
  const fields = query.get("fieldSelector");
  const fieldSelector = fields === null || fields === "" ? undefined : parse(() => parseFieldSelector(fields));
  for (const { field } of fieldSelector ?? []) {
    const problem = supported(field);
    if (problem !== undefined) throw badRequest(problem);
  }
  return {
    labels: labels === null || labels === "" ? undefined : parse(() => parseLabelSelector(labels)),
    fields: fieldSelector,
  };
}

function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
}

/** An integer parameter; undefined when absent. @throws StatusError 400 with Go's message */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^[-+]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

/** `resourceVersion` of a get (500 when garbage), list (400) or watch (500). */
export function revisionParameter(query: URLSearchParams, verb: "get" | "list" | "watch"): number | undefined {
  const text = query.get("resourceVersion");
  if (text === null || text === "") return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const why = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  if (verb === "list") throw badRequest(`invalid resource version: ${why}`);
  throw serverError(verb === "get" ? `invalid resource version: ${why}` : why);
}

/** Checks how `resourceVersionMatch` and `sendInitialEvents` go with the other parameters. */
export function checkListOptions(query: URLSearchParams, watch: boolean): void {
  const match = query.get("resourceVersionMatch") ?? "";
  const version = query.get("resourceVersion") ?? "";
  const errors: FieldError[] = [];
  const forbid = (field: string, detail: string): void => {
    errors.push({ type: "FieldValueForbidden", field, detail });
  };
  const initial = query.has("sendInitialEvents");
  if (watch) {
    if (initial && match !== "NotOlderThan")
      forbid("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    if (!initial && match !== "")
      forbid(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      );
    if (match !== "" && match !== "NotOlderThan") {
      errors.push({
        type: "FieldValueNotSupported",
        field: "resourceVersionMatch",
        badValue: match,
        detail: 'supported values: "NotOlderThan"',
      });
    }
    if ((query.get("continue") ?? "") !== "")
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
  } else {
    if (initial) forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
    if (match !== "") {
      if ((query.get("continue") ?? "") !== "")
        forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
      if (version === "")
        forbid("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
      if (match !== "Exact" && match !== "NotOlderThan") {
        errors.push({
          type: "FieldValueNotSupported",
          field: "resourceVersionMatch",
          badValue: match,
          detail: 'supported values: "Exact", "NotOlderThan", ""',
        });
      }
      if (match === "Exact" && version === "0")
        forbid("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
    }
  }
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
}

/** DeleteOptions from the body, or from the query when the body is empty. */
export function deleteOptions(query: URLSearchParams, body: JsonValue): DeleteOptions {
  const kind = isObject(body) ? getOwn(body, "kind") : undefined;
  if (isObject(body) && typeof kind === "string" && kind !== "" && kind !== "DeleteOptions") {
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(getOwn(body, "apiVersion") ?? "")} in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"`,
    );
  }
  const options = isObject(body) && Object.keys(body).length > 0 ? body : optionsOfQuery(query);
  const policy = getOwn(options, "propagationPolicy");
  const orphan = getOwn(options, "orphanDependents");
  const dryRun = getOwn(options, "dryRun");
  const dry = Array.isArray(dryRun) ? (dryRun as readonly string[]) : [];
  const errors: FieldError[] = [...dryRunErrors(dry, dry.length > 0)];
  if (typeof policy === "string" && policy !== "" && typeof orphan === "boolean") {
    errors.push({
      type: "FieldValueInvalid",
      field: "propagationPolicy",
      badValue: policy,
      detail: "orphanDependents and deletionPropagation cannot be both set",
    });
  } else if (typeof policy === "string" && !["", "Foreground", "Background", "Orphan"].includes(policy)) {
    errors.push({
      type: "FieldValueNotSupported",
      field: "propagationPolicy",
      badValue: policy,
      detail: 'supported values: "Foreground", "Background", "Orphan", "nil"',
    });
  }
  if (errors.length > 0) throw invalidOptions("DeleteOptions", errors);
  const grace = getOwn(options, "gracePeriodSeconds");
  const preconditions = getOwn(options, "preconditions");
  const uid = isObject(preconditions) ? getOwn(preconditions, "uid") : undefined;
  const version = isObject(preconditions) ? getOwn(preconditions, "resourceVersion") : undefined;
  const propagation =
    typeof policy === "string" && policy !== ""
      ? policy
      : orphan === true
        ? "Orphan"
        : orphan === false
          ? "Background"
          : undefined;
  return {
    dryRun: dry.length > 0,
    ...(typeof grace === "number" ? { gracePeriodSeconds: grace } : {}),
    ...(propagation === undefined ? {} : { propagation: propagation as "Background" }),
    ...(typeof uid === "string" ? { uid } : {}),
    ...(typeof version === "string" ? { resourceVersion: version } : {}),
  };
}

function optionsOfQuery(query: URLSearchParams): JsonObject {
  const grace = integerParameter(query, "gracePeriodSeconds");
  return {
    gracePeriodSeconds: grace,
    propagationPolicy: query.get("propagationPolicy") ?? undefined,
    orphanDependents: query.has("orphanDependents") ? isTrue(query.get("orphanDependents")) : undefined,
    dryRun: query.has("dryRun") ? query.getAll("dryRun") : undefined,
  };
}
