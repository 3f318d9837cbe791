/** A ConfigMap as far as it is looked at. */
export interface Seen {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly data?: { readonly n?: string };
}

export interface SeenEvent {
  readonly type: string;
  readonly object: Seen;
}

/**
 * What was promised, and what therefore must be found after each kill. Every write carries a number of its own, so a
 * state that nobody wrote is seen as such.
 */
export class Ledger {
  /** What each key may be: the last that was acknowledged, or what was under way when the server died. */
  readonly #possible = new Map<string, Set<string | undefined>>();
  /** Acknowledged writes and events, by revision: `key n uid`, or `key deleted`. */
  readonly #history = new Map<number, string>();
  readonly #keysOfUids = new Map<string, string>();
  readonly problems: string[] = [];
  acknowledged = 0;
  uncertain = 0;
  events = 0;
  newest = 0;

  began(key: string, n: string | undefined): void {
    const may = this.#possible.get(key) ?? new Set([undefined]);
    this.#possible.set(key, may.add(n));
  }

  /** A write was answered with success. */
  succeeded(key: string, n: string | undefined, object: Seen | undefined): void {
    this.acknowledged++;
    this.#possible.set(key, new Set([n]));
    if (object === undefined) return;
    this.#at(Number(object.metadata.resourceVersion), `${key} ${String(n)}`);
    this.#uid(key, object);
  }

  /** What a read or a list found. */
  found(key: string, object: Seen | undefined, where: string): void {
    const n = object?.data?.n;
    const may = this.#possible.get(key) ?? new Set([undefined]);
    if (!may.has(n))
      this.problems.push(`${where}: ${key} is ${String(n)}, and may be ${[...may].map(String).join(" or ")}`);
    this.#possible.set(key, new Set([n]));
    if (object !== undefined) this.#at(Number(object.metadata.resourceVersion), `${key} ${String(n)}`);
  }

  /** An event of a watch that stood at a revision. @returns where it stands now */
  event({ type, object }: SeenEvent, after: number): number {
    this.events++;
    const revision = Number(object.metadata.resourceVersion);
    if (revision <= after) this.problems.push(`a watch after ${after} was sent an event of ${revision}`);
    const what = type === "DELETED" ? "deleted" : String(object.data?.n);
    this.#at(revision, `${object.metadata.name} ${what}`);
    if (type !== "DELETED") this.#uid(object.metadata.name, object);
    return revision;
  }

  /** Whether a watch that was sent these revisions missed one that something else tells of. */
  gapless(sent: ReadonlySet<number>, from: number, to: number): void {
    for (const [revision, what] of this.#history)
      if (revision > from && revision <= to && !sent.has(revision))
        this.problems.push(`a watch from ${from} to ${to} was not sent ${revision} (${what})`);
  }

  get keys(): readonly string[] {
    return [...this.#possible.keys()];
  }

  #at(revision: number, what: string): void {
    this.newest = Math.max(this.newest, revision);
    const before = this.#history.get(revision);
    if (before !== undefined && before !== what)
      this.problems.push(`revision ${revision} is ${before}, and then ${what}`);
    this.#history.set(revision, what);
  }

  #uid(key: string, { metadata: { uid } }: Seen): void {
    const before = this.#keysOfUids.get(uid);
    if (before !== undefined && before !== key) this.problems.push(`${before} and ${key} have one uid, ${uid}`);
    this.#keysOfUids.set(uid, key);
  }
}
