import {
  formatTime,
  inSlices,
  isArray,
  isSliced,
  type Clock,
  type JsonObject,
  type Logger,
  type MutableJsonObject,
  type Random,
} from "@fairlead/base";
import { coerceMetadata, fromUnstructuredError, type FieldError } from "@fairlead/apimachinery";
import {
  DecodeError,
  fieldPath,
  fieldSetOf,
  type EmptiedContainer,
  type FieldSet,
  type ManagerContext,
  type TypeCache,
} from "@fairlead/ssa";

import type { Admission } from "../admission/admission.js";
import type { FieldErrors } from "../resources/resource.js";
import type { Record, Storage } from "../storage/storage.js";
import type { ContinueTokens } from "./continue.js";
import { apiVersionOf, type Endpoint } from "./endpoint.js";
import { metadataOf, withManagedFieldsAside, withMetadata } from "./metadata.js";

/** What the verbs stand on. One per server. */
export interface Registry {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly admission: Admission;
  /** Compiled types of every schema that a field manager has met. */
  readonly types: TypeCache;
  /** What server-side apply leaves of a container whose last child it removes. */
  readonly emptied: EmptiedContainer;
  readonly continueTokens: ContinueTokens;
  /**
   * Objects that the real server has stored in another form than it reads them in: custom resources that an apply wrote
   * with empty or null maps in their metadata, and objects that get defaults from what was generated for them (a Job its
   * labels, from its template). The next write changes what is stored even if it says nothing new.
   */
  readonly untidy: WeakSet<Record>;
  /** The endpoint of a resource in a version, or (without a version) in its preferred one. */
  readonly find: (group: string, resource: string, version?: string) => Endpoint | undefined;
}

/** The field manager's view of an endpoint whose objects are not converted by a webhook (else: `decideOwnership`). */
export function managerContext(registry: Registry, endpoint: Endpoint, subresource: string): ManagerContext {
  const { strategy } = endpoint;
  const { info } = strategy;
  return {
    gvk: { group: info.group, version: info.version, kind: info.kind },
    schemaFor: (apiVersion) => endpoint.versions.get(apiVersion)?.schema,
    convert:
      info.custom || endpoint.conversion.kind === "webhook"
        ? (object, apiVersion) => ({ ...object, apiVersion })
        : endpoint.conversion.convert,
    subresource,
    builtin: !info.custom,
    types: registry.types,
    emptied: registry.emptied,
    resetFields: resetFields(endpoint, subresource),
    applyDefaults: (object) => {
      decodeApplied(endpoint, object);
    },
    now: formatTime(registry.clock.now()),
  };
}

/** Makes of an applied object, in place, what its kind decodes and defaults. @throws DecodeError */
function decodeApplied({ strategy }: Endpoint, object: MutableJsonObject): void {
  const { info, schema } = strategy;
  if (!info.custom) {
    const error = fromUnstructuredError(object, schema);
    if (error !== undefined)
      throw new DecodeError(
        `unable to convert unstructured object to ${info.group}/${info.version}, Kind=${info.kind}: ${error}`,
      );
  }
  strategy.applyDefaults(object);
}

/** The metadata of an applied custom resource as ObjectMeta prints it. What does not fit it is dropped. */
export function withCoercedMetadata({ strategy }: Endpoint, object: JsonObject): JsonObject {
  return withManagedFieldsAside(object, (copy) => {
    coerceMetadata(copy, strategy.schema, { root: true, dropInvalid: true });
    return copy;
  });
}

/**
 * A decoded object with its kind's defaults. An empty list of managedFields stays: it asks a built-in kind to forget all
 * ownership, which is for the field manager to see.
 */
export function withDefaults({ strategy }: Endpoint, object: JsonObject): JsonObject {
  const copy: MutableJsonObject = { ...object };
  const sent = metadataOf(object)["managedFields"];
  strategy.applyDefaults(copy);
  return isArray(sent) && sent.length === 0 ? withMetadata(copy, { managedFields: [] }) : copy;
}

/** Errors of metadata and those of the kind, which may have to be waited for. */
export function allErrors(
  meta: readonly FieldError[],
  kind: FieldErrors,
  clock: Clock,
): readonly FieldError[] | Promise<readonly FieldError[]> {
  const found = isSliced(kind) ? inSlices(kind, clock) : kind;
  if (meta.length === 0) return found;
  return found instanceof Promise ? found.then((errors) => [...meta, ...errors]) : [...meta, ...found];
}

/** Field paths that no manager owns at this endpoint. */
function resetFields(endpoint: Endpoint, subresource: string): FieldSet {
  return fieldSetOf(resetPaths(endpoint, subresource).map((path) => fieldPath(...path)));
}

function resetPaths({ strategy }: Endpoint, subresource: string): readonly (readonly string[])[] {
  const { info } = strategy;
  if (subresource === "status") {
    const more = strategy.resetFields?.status ?? [];
    return info.custom ? [["spec"], ["metadata"], ...more] : [["spec"], ...more];
  }
  if (subresource !== "") return [];
  return [...(info.hasStatus ? [["status"]] : []), ...(strategy.resetFields?.main ?? [])];
}

export function gvkText(endpoint: Endpoint): string {
  const { info } = endpoint.strategy;
  return `${apiVersionOf(info)}, Kind=${info.kind}`;
}
