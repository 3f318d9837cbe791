import { seededRandom, VirtualClock } from "@fairlead/base";
import {
  failure,
  resourceVersion,
  revisionOf,
  StatusError,
  type KubernetesObject,
  type Uid,
} from "@fairlead/apimachinery";
import type { Page, WatchEvent } from "@fairlead/client";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Store } from "../store/store.js";
import { watch, type ListWatch } from "./watcher.js";

/** A server with one kind: a log of changes that can be compacted, served in pages and by a watch that breaks. */
class ModelServer implements ListWatch<KubernetesObject> {
  readonly objects = new Map<string, KubernetesObject>();
  readonly #log: { readonly revision: number; readonly event: WatchEvent<KubernetesObject> }[] = [];
  readonly #snapshots = new Map<string, { readonly revision: number; readonly rest: readonly KubernetesObject[] }>();
  #revision = 1;
  #compacted = 0;
  #uids = 0;
  #wake: (() => void)[] = [];
  /** How the next watches end, and whether the next lists fail. */
  readonly faults: ("cut" | "error" | "listError")[] = [];

  put(name: string): KubernetesObject {
    const held = this.objects.get(name);
    const object: KubernetesObject = {
      metadata: {
        name,
        uid: held?.metadata.uid ?? (`u${this.#uids++}` as Uid),
        resourceVersion: resourceVersion(++this.#revision),
      },
    };
    this.objects.set(name, object);
    this.#append({ type: held === undefined ? "ADDED" : "MODIFIED", object });
    return object;
  }

  remove(name: string): void {
    const held = this.objects.get(name);
    if (held === undefined) return;
    this.objects.delete(name);
    this.#append({
      type: "DELETED",
      object: { metadata: { ...held.metadata, resourceVersion: resourceVersion(++this.#revision) } },
    });
  }

  compact(): void {
    this.#compacted = this.#revision;
    this.#log.length = 0;
    this.#snapshots.clear();
    this.#notify();
  }

  bookmark(): void {
    this.#append({ type: "BOOKMARK", resourceVersion: resourceVersion(this.#revision), initialEventsEnd: false });
  }

  cut(): void {
    this.faults.push("cut");
    this.#notify();
  }

  async list(next: string | undefined): Promise<Page<KubernetesObject>> {
    await Promise.resolve();
    if (this.faults[0] === "listError") {
      this.faults.shift();
      throw new Error("down");
    }
    const snapshot =
      next === undefined ? { revision: this.#revision, rest: [...this.objects.values()] } : this.#snapshots.get(next);
    if (snapshot === undefined) throw new StatusError(failure(410, "Expired", "the page is gone"));
    const rest = snapshot.rest.slice(2);
    const token = rest.length === 0 ? undefined : `${snapshot.revision}/${rest.length}`;
    if (token !== undefined) this.#snapshots.set(token, { revision: snapshot.revision, rest });
    return { items: snapshot.rest.slice(0, 2), resourceVersion: resourceVersion(snapshot.revision), continue: token };
  }

  async *watch(from: string, _timeout: number, signal: AbortSignal): AsyncGenerator<WatchEvent<KubernetesObject>> {
    let at = revisionOf(from) ?? 0;
    while (true) {
      await Promise.resolve();
      if (signal.aborted) throw signal.reason;
      if (at < this.#compacted) throw new StatusError(failure(410, "Expired", "too old"));
      const fault = this.faults[0];
      if (fault === "cut" || fault === "error") {
        this.faults.shift();
        if (fault === "error") throw new Error("reset");
        return;
      }
      const entry = this.#log.find(
        ({ revision, event }) => revision > at || (event.type === "BOOKMARK" && revision === at),
      );
      if (entry?.event.type === "BOOKMARK") this.#log.splice(this.#log.indexOf(entry), 1);
      if (entry === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake.push(resolve);
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
        continue;
      }
      at = entry.revision;
      yield entry.event;
    }
  }

  #append(event: WatchEvent<KubernetesObject>): void {
    this.#log.push({ revision: this.#revision, event });
    this.#notify();
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

type Op =
  | "put a"
  | "put b"
  | "put c"
  | "remove a"
  | "remove b"
  | "remove c"
  | "write a"
  | "write b"
  | "begin a"
  | "begin b"
  | "answer"
  | "compact"
  | "bookmark"
  | "cut"
  | "error"
  | "listError"
  | "turn"
  | "wait";
const ops = fc.constantFrom<Op>(
  "put a",
  "put b",
  "put c",
  "remove a",
  "remove b",
  "remove c",
  "write a",
  "write b",
  "begin a",
  "begin b",
  "answer",
  "compact",
  "bookmark",
  "cut",
  "error",
  "listError",
  "turn",
  "wait",
);

it("a store that follows a server ends up with what the server has, and never goes back, whatever happens on the way", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ops, { maxLength: 60, size: "max" }), async (script) => {
      const clock = new VirtualClock();
      const server = new ModelServer();
      const store = new Store<KubernetesObject>();
      const stop = new AbortController();
      const newest = new Map<string, number>();
      const lives = new Set<string>();
      const answers: KubernetesObject[] = []; // to own writes, still under way
      const saw = (changes: readonly { readonly type: string; readonly object: KubernetesObject }[]): void => {
        for (const { type, object } of changes) {
          const uid = object.metadata.uid ?? "";
          const revision = revisionOf(object.metadata.resourceVersion ?? "") ?? 0;
          expect(revision).toBeGreaterThanOrEqual(newest.get(uid) ?? 0);
          newest.set(uid, revision);
          if (type === "added") {
            expect(lives.has(uid)).toBe(false);
            lives.add(uid);
          }
        }
      };
      const following = (async () => {
        for await (const event of watch(server, { clock, random: seededRandom(1), signal: stop.signal }))
          saw(store.take(event));
      })().catch(() => undefined);
      const turn = async (): Promise<void> => {
        for (let i = 0; i < 4; i++) await Promise.resolve();
      };
      for (const op of script) {
        const [verb, name = ""] = op.split(" ");
        if (verb === "put") server.put(name);
        else if (verb === "begin") answers.push(server.put(name));
        else if (op === "answer") saw(answers.splice(0, 1).flatMap((object) => store.wrote(object)));
        else if (verb === "write") saw(store.wrote(server.put(name)));
        else if (verb === "remove") server.remove(name);
        else if (op === "compact") server.compact();
        else if (op === "bookmark") server.bookmark();
        else if (op === "cut") server.cut();
        else if (op === "error" || op === "listError") server.faults.push(op);
        else if (op === "wait") await clock.advance(500, turn);
        else await turn();
      }
      server.faults.length = 0;
      await clock.advance(200_000);
      const versions = (objects: Iterable<KubernetesObject>): readonly string[] =>
        [...objects].map((o) => `${o.metadata.name}@${o.metadata.resourceVersion ?? ""}`).sort();
      expect(versions(store.list())).toEqual(versions(server.objects.values()));
      stop.abort();
      await following;
    }),
    { numRuns: 200 },
  );
});
