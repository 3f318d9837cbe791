import type { Clock, Logger, Random } from "@fairlead/base";
import { formatTime } from "@fairlead/base";
import { fieldPath, fieldSetOf, type FieldSet, type ManagerContext, type TypeCache } from "@fairlead/ssa";

import type { Admission } from "../admission/admission.js";
import type { Storage } from "../storage/storage.js";
import { apiVersionOf, type Endpoint } from "./endpoint.js";

/** What the verbs stand on. One per server. */
export interface Registry {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly admission: Admission;
  /** Compiled types of every schema that a field manager has met. */
  readonly types: TypeCache;
  /** The endpoint of a resource in a version, or (without a version) in its preferred one. */
  readonly find: (group: string, resource: string, version?: string) => Endpoint | undefined;
}

/** The field manager's view of an endpoint. */
export function managerContext(registry: Registry, endpoint: Endpoint, subresource: string): ManagerContext {
  const { strategy } = endpoint;
  const { info } = strategy;
  return {
    gvk: { group: info.group, version: info.version, kind: info.kind },
    schemaFor: (apiVersion) => endpoint.versions.get(apiVersion)?.schema,
    convert: endpoint.convert,
    subresource,
    builtin: !info.custom,
    types: registry.types,
    resetFields: resetFields(endpoint, subresource),
    applyDefaults: (object) => {
      strategy.applyDefaults(object);
    },
    now: formatTime(registry.clock.now()),
  };
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
