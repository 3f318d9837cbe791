import type { KubernetesObject, OwnerReference } from "@fairlead/apimachinery";
import type { ServedKind } from "@fairlead/client";

/** What the collector remembers of an object. */
export interface GraphNode {
  readonly kind: ServedKind;
  readonly object: KubernetesObject;
}

/** Who owns whom, by uid, over every kind that can be deleted. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  set(kind: ServedKind, object: KubernetesObject): void {
    const uid = object.metadata.uid ?? "";
    this.#unlink(uid);
    this.#nodes.set(uid, { kind, object });
    for (const owner of ownersOf(object)) {
      const set = this.#dependents.get(owner.uid);
      if (set === undefined) this.#dependents.set(owner.uid, new Set([uid]));
      else set.add(uid);
    }
  }

  delete(uid: string): void {
    this.#unlink(uid);
    this.#nodes.delete(uid);
  }

  /** The objects that name an owner. */
  dependents(uid: string): readonly GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])]
      .map((d) => this.#nodes.get(d))
      .filter((n): n is GraphNode => n !== undefined);
  }

  /** Forgets a kind that is not served any more. Returns the uids that are gone with it. */
  removeKind(isKind: (kind: ServedKind) => boolean): readonly string[] {
    const gone = [...this.#nodes].filter(([, node]) => isKind(node.kind)).map(([uid]) => uid);
    for (const uid of gone) this.delete(uid);
    return gone;
  }

  #unlink(uid: string): void {
    const before = this.#nodes.get(uid);
    if (before === undefined) return;
    for (const owner of ownersOf(before.object)) {
      const set = this.#dependents.get(owner.uid);
      set?.delete(uid);
      if (set?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
}

export function ownersOf(object: KubernetesObject): readonly OwnerReference[] {
  return object.metadata.ownerReferences ?? [];
}
