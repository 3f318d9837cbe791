import { compareVersions } from "../resources/versions.js";
import type { ResourceStrategy } from "../resources/resource.js";
import { apiVersionOf, type Endpoint, type StoredAs } from "./endpoint.js";

/**
 * All served resources. Built-in ones are there from the start; custom ones come and go with their definitions. Order
 * is that of registration, which discovery keeps.
 */
export class Catalog {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #builtinGroups = new Set<string>();
  /** The versions of built-in kinds, by collection: what is served twice has an owner in each version. */
  readonly #builtinVersions = new Map<string, Map<string, ResourceStrategy>>();
  /** Grows with every change; discovery documents are cached by it. */
  #generation = 0;

  get generation(): number {
    return this.#generation;
  }

  /** Adds a built-in kind, in its only version. Kinds that share objects (Events) name one collection. */
  addBuiltin(strategy: ResourceStrategy, storedAs: StoredAs | undefined): void {
    const { info } = strategy;
    this.#builtinGroups.add(info.group);
    const version = apiVersionOf(info);
    const collection = storedAs?.collection ?? `${info.group}/${info.resource}`;
    const versions = this.#builtinVersions.get(collection) ?? new Map<string, ResourceStrategy>();
    this.#builtinVersions.set(collection, versions.set(version, strategy));
    const endpoint: Endpoint = {
      strategy,
      collection,
      storageVersion: storedAs?.apiVersion ?? version,
      versions,
      conversion: { kind: "local", convert: storedAs?.convert ?? ((object) => object) },
    };
    this.add(endpoint);
  }

  add(endpoint: Endpoint): void {
    const { group, version, resource } = endpoint.strategy.info;
    this.#endpoints.set(`${group}/${version}/${resource}`, endpoint);
    this.#generation++;
  }

  /** Takes away every version of a resource. */
  remove(group: string, resource: string): void {
    for (const [id, { strategy }] of this.#endpoints) {
      if (strategy.info.group === group && strategy.info.resource === resource) this.#endpoints.delete(id);
    }
    this.#generation++;
  }

  find(group: string, resource: string, version?: string): Endpoint | undefined {
    if (version !== undefined) return this.#endpoints.get(`${group}/${version}/${resource}`);
    return this.inGroup(group).find((e) => e.strategy.info.resource === resource);
  }

  /** Whether a group is one of Kubernetes' own; unknown paths in it are answered with a Status. */
  isBuiltinGroup(group: string): boolean {
    return this.#builtinGroups.has(group);
  }

  /** The endpoints of a group, preferred versions first. */
  inGroup(group: string): readonly Endpoint[] {
    return this.all()
      .filter((e) => e.strategy.info.group === group)
      .sort((a, b) => compareVersions(a.strategy.info.version, b.strategy.info.version));
  }

  all(): readonly Endpoint[] {
    return [...this.#endpoints.values()];
  }

  /** Group names, built-in ones first, each part in order of appearance. */
  groups(): readonly string[] {
    return [...new Set(this.all().map((e) => e.strategy.info.group))];
  }

  /** The versions of a group, preferred first. */
  versions(group: string): readonly string[] {
    return [...new Set(this.inGroup(group).map((e) => e.strategy.info.version))];
  }
}
