import { FairleadError, never, orAborted, type Transport } from "@fairlead/base";
import {
  formatGroupVersion,
  formatGvk,
  isStatus,
  parseGroupVersion,
  type GroupVersionKind,
} from "@fairlead/apimachinery";
import { readJson } from "../request/response.js";
import { getRequest, type CallOptions } from "../request/request.js";
import type { ResourceKind } from "../request/resource-kind.js";

/** A kind as the server serves it. */
export interface ServedKind extends ResourceKind {
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Names of the subresources: `status`, `scale`, … */
  readonly subresources: readonly string[];
}

/** The server serves no such kind; it may be a custom one whose definition is not established yet. */
export class UnknownKindError extends FairleadError {
  constructor(gvk: GroupVersionKind) {
    super(
      "UnknownKind",
      `The API server serves no ${formatGvk(gvk)}; is its CustomResourceDefinition installed and established?`,
    );
  }
}

/**
 * Which kinds the server has, where, and in which scope. What was learnt is kept; a kind that is not found is looked up
 * again, so a definition that was installed meanwhile is seen.
 */
export class Discovery {
  readonly #transport: Transport;
  readonly #groupVersions = new Map<string, Promise<readonly ServedKind[]>>();
  /** Questions under way: whoever asks the same meanwhile gets the same answer. */
  readonly #asking = new Map<string, Promise<readonly ServedKind[]>>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Where a kind is served; undefined when it is not. */
  async find(gvk: GroupVersionKind, options: CallOptions = {}): Promise<ServedKind | undefined> {
    const known = this.#groupVersions.get(formatGroupVersion(gvk));
    if (known !== undefined) {
      const hit = (await known.catch(() => [])).find((served) => served.kind === gvk.kind);
      if (hit !== undefined) return hit;
    }
    const served = await this.#load(gvk, options.signal ?? never);
    return served.find((one) => one.kind === gvk.kind);
  }

  /** @throws UnknownKindError when it is not served. */
  async get(gvk: GroupVersionKind, options: CallOptions = {}): Promise<ServedKind> {
    const served = await this.find(gvk, options);
    if (served === undefined) throw new UnknownKindError(gvk);
    return served;
  }

  /** The kind that an object of this apiVersion and kind has. */
  async ofObject(
    object: { readonly apiVersion?: string; readonly kind?: string },
    options: CallOptions = {},
  ): Promise<ServedKind> {
    const gv = parseGroupVersion(object.apiVersion ?? "") ?? { group: "", version: object.apiVersion ?? "" };
    return this.get({ ...gv, kind: object.kind ?? "" }, options);
  }

  /** Every kind of every group in its preferred version, asked for anew, by group, then resource. */
  async preferred(options: CallOptions = {}): Promise<readonly ServedKind[]> {
    const signal = options.signal ?? never;
    const groups = (await this.#get("/apis", signal)) as { readonly groups?: readonly ApiGroup[] };
    const versions = [
      { group: "", version: "v1" },
      ...(groups.groups ?? []).map((group) => ({ group: group.name, version: group.preferredVersion.version })),
    ];
    const all = await Promise.all(versions.map((gv) => this.#load(gv, signal)));
    return all.flat();
  }

  /** Forgets everything that was learnt. */
  clear(): void {
    this.#groupVersions.clear();
  }

  #load(gv: { readonly group: string; readonly version: string }, signal: AbortSignal): Promise<readonly ServedKind[]> {
    const key = formatGroupVersion(gv);
    const asked = this.#asking.get(key);
    if (asked !== undefined) return orAborted(asked, signal);
    const asking = this.#fetch(gv, never);
    this.#asking.set(key, asking);
    void asking
      .then(
        () => this.#groupVersions.set(key, asking),
        () => this.#groupVersions.delete(key),
      )
      .finally(() => this.#asking.delete(key));
    return orAborted(asking, signal);
  }

  async #fetch(
    gv: { readonly group: string; readonly version: string },
    signal: AbortSignal,
  ): Promise<readonly ServedKind[]> {
    try {
      const path = gv.group === "" ? `/api/${gv.version}` : `/apis/${gv.group}/${gv.version}`;
      return servedKinds((await this.#get(path, signal)) as ApiResourceList, gv);
    } catch (error) {
      if (isStatus(error) && error.httpStatus === 404) return [];
      throw error;
    }
  }

  async #get(path: string, signal: AbortSignal): Promise<unknown> {
    return readJson(await this.#transport(getRequest(path), signal), `discover ${path}`);
  }
}

interface ApiGroup {
  readonly name: string;
  readonly preferredVersion: { readonly version: string };
}

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

interface ApiResourceList {
  readonly resources?: readonly ApiResource[];
}

/** The kinds of an APIResourceList; its entries with a slash are the subresources of the others. */
function servedKinds(
  list: ApiResourceList,
  gv: { readonly group: string; readonly version: string },
): readonly ServedKind[] {
  const resources = list.resources ?? [];
  return resources
    .filter((resource) => !resource.name.includes("/"))
    .map((resource) => ({
      group: gv.group,
      version: gv.version,
      kind: resource.kind,
      resource: resource.name,
      namespaced: resource.namespaced,
      verbs: resource.verbs ?? [],
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      subresources: resources
        .filter((other) => other.name.startsWith(`${resource.name}/`))
        .map((other) => other.name.slice(resource.name.length + 1)),
    }));
}
