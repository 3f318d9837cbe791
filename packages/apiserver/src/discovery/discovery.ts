import { createHash } from "node:crypto";

import type { JsonObject } from "@fairlead/base";

import type { Catalog } from "../registry/catalog.js";
import { apiVersionOf, type Endpoint } from "../registry/endpoint.js";
import type { ResourceInfo } from "../resources/resource.js";

/** The discovery documents, in the plain and in the aggregated form (apidiscovery.k8s.io/v2). */

const SUB_VERBS = ["get", "patch", "update"];

export function apiVersions(address: string): JsonObject {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

export function apiGroupList(catalog: Catalog): JsonObject {
  const groups = catalog.groups().filter((g) => g !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map((g) => groupBody(catalog, g)) };
}

/** One group; undefined when it is not served. */
export function apiGroup(catalog: Catalog, group: string): JsonObject | undefined {
  if (group === "" || catalog.versions(group).length === 0) return undefined;
  return { kind: "APIGroup", apiVersion: "v1", ...groupBody(catalog, group) };
}

function groupBody(catalog: Catalog, group: string): JsonObject {
  const versions = catalog.versions(group).map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions, preferredVersion: versions[0] };
}

/** The resources of a group version; undefined when it is not served. */
export function apiResourceList(catalog: Catalog, group: string, version: string): JsonObject | undefined {
  const endpoints = catalog.inGroup(group).filter((e) => e.strategy.info.version === version);
  if (endpoints.length === 0) return undefined;
  const resources = endpoints.flatMap((e) => resourceEntries(e, version));
  const builtin = catalog.isBuiltinGroup(group);
  return {
    kind: "APIResourceList",
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: group === "" ? version : `${group}/${version}`,
    resources: builtin ? [...resources].sort((a, b) => (String(a["name"]) < String(b["name"]) ? -1 : 1)) : resources,
  };
}

function resourceEntries(endpoint: Endpoint, version: string): readonly JsonObject[] {
  const { info } = endpoint.strategy;
  const main = {
    name: info.resource,
    singularName: info.singular,
    namespaced: info.namespaced,
    kind: info.kind,
    verbs: info.verbs,
    ...(info.shortNames.length > 0 ? { shortNames: info.shortNames } : {}),
    ...(info.categories.length > 0 ? { categories: info.categories } : {}),
    ...(info.verbs.includes("list") && info.verbs.includes("watch")
      ? { storageVersionHash: storageVersionHash(endpoint) }
      : {}),
  };
  const subs = subresources(info).map(({ name, group, version: subVersion, kind, verbs }) => ({
    name: `${info.resource}/${name}`,
    singularName: "",
    namespaced: info.namespaced,
    ...(kind === info.kind || (group === info.group && subVersion === version)
      ? {}
      : group === "" && subVersion === version
        ? {}
        : { group, version: subVersion }),
    kind,
    verbs,
  }));
  return [main, ...subs];
}

interface Sub {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

function subresources(info: ResourceInfo): readonly Sub[] {
  const status: Sub[] = info.hasStatus
    ? [{ name: "status", group: info.group, version: info.version, kind: info.kind, verbs: SUB_VERBS }]
    : [];
  const scale: Sub[] =
    info.scale === undefined
      ? []
      : [{ name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: SUB_VERBS }];
  return info.custom
    ? [...status, ...scale]
    : [...info.otherSubresources, ...scale, ...status].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What the real server stores otherwise than it serves it. */
const STORED_AS: ReadonlyMap<string, string> = new Map([
  ["apiextensions.k8s.io/CustomResourceDefinition", "apiextensions.k8s.io/v1beta1"],
]);

function storageVersionHash({ storageVersion, strategy }: Endpoint): string {
  const { group, kind } = strategy.info;
  const stored = STORED_AS.get(`${group}/${kind}`) ?? storageVersion;
  return createHash("sha256")
    .update(`${stored.includes("/") ? stored : `/${stored}`}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString("base64");
}

/** `/api` and `/apis` in the aggregated form. */
export function groupDiscoveryList(catalog: Catalog, core: boolean): JsonObject {
  const groups = core ? [""] : catalog.groups().filter((g) => g !== "");
  const items = groups.map((group) => ({
    metadata: group === "" ? {} : { name: group },
    versions: catalog.versions(group).map((version) => ({
      version,
      resources: sorted(catalog, group, version).map(discoveryResource),
      freshness: "Current",
    })),
  }));
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
}

function sorted(catalog: Catalog, group: string, version: string): readonly Endpoint[] {
  const found = catalog.inGroup(group).filter((e) => e.strategy.info.version === version);
  return catalog.isBuiltinGroup(group)
    ? [...found].sort((a, b) => (a.strategy.info.resource < b.strategy.info.resource ? -1 : 1))
    : found;
}

function discoveryResource({ strategy }: Endpoint): JsonObject {
  const { info } = strategy;
  const responseKind = (kind: Sub | ResourceInfo): JsonObject =>
    info.custom || kind.group !== info.group || kind.version !== info.version
      ? { group: kind.group, version: kind.version, kind: kind.kind }
      : { group: "", version: "", kind: kind.kind };
  const subs = subresources(info).map((s) => ({ subresource: s.name, responseKind: responseKind(s), verbs: s.verbs }));
  return {
    resource: info.resource,
    responseKind: responseKind(info),
    scope: info.namespaced ? "Namespaced" : "Cluster",
    singularResource: info.singular,
    verbs: info.verbs,
    ...(info.shortNames.length > 0 ? { shortNames: info.shortNames } : {}),
    ...(info.categories.length > 0 ? { categories: info.categories } : {}),
    ...(subs.length > 0 ? { subresources: subs } : {}),
  };
}

/** Group versions of the catalogue as OpenAPI v3 names them: `api/v1`, `apis/apps/v1`. */
export function openApiPaths(
  catalog: Catalog,
): readonly { readonly path: string; readonly group: string; readonly version: string }[] {
  return catalog.groups().flatMap((group) =>
    catalog.versions(group).map((version) => ({
      path: group === "" ? `api/${version}` : `apis/${apiVersionOf({ group, version })}`,
      group,
      version,
    })),
  );
}
