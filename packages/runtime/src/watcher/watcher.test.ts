import { seededRandom, VirtualClock } from "@fairlead/base";
import { failure, StatusError, type KubernetesObject, type ResourceVersion } from "@fairlead/apimachinery";
import type { Page, WatchEvent } from "@fairlead/client";
import { describe, expect, it } from "vitest";
import { step, UNLISTED, type Input, type State, type StoreEvent } from "./step.js";
import { watch, type ListWatch } from "./watcher.js";

const v = (version: number): ResourceVersion => String(version) as ResourceVersion;
const object = (name: string, version: number): KubernetesObject => ({
  metadata: { name, resourceVersion: v(version) },
});
const page = (version: number, next: string | undefined, ...names: readonly string[]): Page<KubernetesObject> => ({
  items: names.map((name) => object(name, version)),
  resourceVersion: v(version),
  continue: next,
});
const expired = new StatusError(failure(410, "Expired", "too old"));
const watching = (from: number): State => ({ at: "watching", from: v(from) });

describe("step", () => {
  it.each<[sentence: string, from: State, input: Input<KubernetesObject>, to: State, emitted: readonly string[]]>([
    [
      "watches from a complete list",
      UNLISTED,
      { type: "page", page: page(5, undefined, "a") },
      watching(5),
      ["listStart", "listed", "listEnd"],
    ],
    [
      "goes on to the next page",
      UNLISTED,
      { type: "page", page: page(5, "t", "a") },
      { at: "paging", next: "t" },
      ["listStart", "listed"],
    ],
    [
      "ends the list with the last page",
      { at: "paging", next: "t" },
      { type: "page", page: page(5, undefined, "b") },
      watching(5),
      ["listed", "listEnd"],
    ],
    [
      "moves on with each event",
      watching(5),
      { type: "wire", event: { type: "ADDED", object: object("a", 6) } },
      watching(6),
      ["changed"],
    ],
    [
      "moves on with a deletion",
      watching(5),
      { type: "wire", event: { type: "DELETED", object: object("a", 7) } },
      watching(7),
      ["deleted"],
    ],
    [
      "moves on with a bookmark",
      watching(5),
      { type: "wire", event: { type: "BOOKMARK", resourceVersion: v(9), initialEventsEnd: false } },
      watching(9),
      ["reached"],
    ],
    ["resumes after the end of a watch", watching(5), { type: "closed" }, watching(5), []],
    ["resumes after a failure", watching(5), { type: "failed", error: new Error("reset") }, watching(5), []],
    ["lists anew when its version is too old", watching(5), { type: "failed", error: expired }, UNLISTED, []],
    [
      "begins the list anew when its snapshot is gone",
      { at: "paging", next: "t" },
      { type: "failed", error: expired },
      UNLISTED,
      [],
    ],
    [
      "retries the page after a failure",
      { at: "paging", next: "t" },
      { type: "failed", error: new Error("reset") },
      { at: "paging", next: "t" },
      [],
    ],
  ])("%s", (_sentence, from, input, to, emitted) => {
    const next = step(from, input);
    expect(next.state).toEqual(to);
    expect(next.emit.map((event) => event.type)).toEqual(emitted);
  });
});

/** One scripted call after another; then it hangs until it is aborted. */
function scripted(
  lists: readonly (Page<KubernetesObject> | Error)[],
  watches: readonly (readonly (WatchEvent<KubernetesObject> | Error)[])[],
): ListWatch<KubernetesObject> & { readonly calls: string[] } {
  const calls: string[] = [];
  const hang = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  let [l, w] = [0, 0];
  return {
    calls,
    list: async (next, signal) => {
      calls.push(`list ${next ?? ""}`);
      const answer = lists[l++];
      if (answer === undefined) return hang(signal);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    async *watch(from, _timeout, signal) {
      calls.push(`watch ${from}`);
      const answers = watches[w++];
      if (answers === undefined) await hang(signal);
      for (const answer of answers ?? []) {
        if (answer instanceof Error) throw answer;
        yield await Promise.resolve(answer);
      }
    },
  };
}

async function follow(
  api: ListWatch<KubernetesObject>,
  ms: number,
): Promise<{
  readonly events: readonly StoreEvent<KubernetesObject>[];
  readonly end: unknown;
  readonly failures: number;
}> {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const events: StoreEvent<KubernetesObject>[] = [];
  let failures = 0;
  const running = (async () => {
    for await (const event of watch(api, {
      clock,
      random: seededRandom(1),
      signal: stop.signal,
      onFailure: () => failures++,
    }))
      events.push(event);
  })().catch((error: unknown) => error);
  await clock.advance(ms);
  stop.abort(new Error("enough"));
  const end = await running;
  expect(clock.nextMs()).toBeUndefined();
  return { events, end, failures };
}

describe("watch", () => {
  it("lists in pages, watches on from there, and rejects with the signal's reason", async () => {
    const api = scripted([page(5, "t", "a"), page(5, undefined, "b")], [[{ type: "ADDED", object: object("c", 6) }]]);
    const { events, end } = await follow(api, 100);
    expect(api.calls).toEqual(["list ", "list t", "watch 5", "watch 6"]);
    expect(events.map((event) => event.type)).toEqual(["listStart", "listed", "listed", "listEnd", "changed"]);
    expect(end).toMatchObject({ message: "enough" });
  });

  it("paces failures from 0.1 s up to 30 s", async () => {
    const api = scripted(
      Array.from({ length: 50 }, () => new Error("down")),
      [],
    );
    const { failures } = await follow(api, 60_000);
    expect(failures).toBeGreaterThan(5);
    expect(failures).toBeLessThan(12);
  });

  it("lists anew after 410, and resumes after everything else", async () => {
    const api = scripted(
      [page(5, undefined), page(9, undefined)],
      [[new Error("reset")], [expired], [{ type: "BOOKMARK", resourceVersion: v(12), initialEventsEnd: false }]],
    );
    await follow(api, 10_000);
    expect(api.calls).toEqual(["list ", "watch 5", "watch 5", "list ", "watch 9", "watch 12"]);
  });

  it("gives up a connection that has fallen silent, and resumes without a pause", async () => {
    const api = scripted([page(5, undefined)], []);
    const { failures } = await follow(api, 120_000);
    expect(api.calls).toEqual(["list ", "watch 5", "watch 5"]);
    expect(failures).toBe(1);
  });
});
