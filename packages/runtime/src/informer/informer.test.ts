import { never, seededRandom, silentLogger, VirtualClock, type Logger } from "@fairlead/base";
import type { ResourceVersion } from "@fairlead/apimachinery";
import { Client, kinds } from "@fairlead/client";
import { jsonResponse, scriptedTransport, watchResponse } from "@fairlead/client/testing";
import { expect, it } from "vitest";
import { Informers } from "./informers.js";

const node = (name: string, resourceVersion: string): unknown => ({ metadata: { name, resourceVersion, uid: name } });

function informers(...watches: readonly unknown[][]): {
  readonly set: Informers;
  readonly clock: VirtualClock;
  readonly errors: string[];
} {
  const clock = new VirtualClock();
  const errors: string[] = [];
  const logger: Logger = { ...silentLogger, error: (event) => errors.push(event) };
  const { transport } = scriptedTransport(
    jsonResponse({ metadata: { resourceVersion: "5" }, items: [node("a", "1")] }),
    ...watches.map((events) => watchResponse(events)),
    (_request, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      }),
  );
  const client = new Client({ transport, clock, random: seededRandom(1), retry: "none" });
  return { clock, errors, set: new Informers({ client, clock, random: seededRandom(1), logger }) };
}

it("asks once for one selection, whoever wants it", () => {
  const { set } = informers();
  expect(set.get(kinds.Node)).toBe(set.get(kinds.Node));
  expect(set.get(kinds.Node, { labelSelector: "a" })).not.toBe(set.get(kinds.Node));
  expect(set.get(kinds.Pod, { namespace: "a" })).not.toBe(set.get(kinds.Pod));
});

it("tells a new handler what is there, and then what changes", async () => {
  const { set, clock } = informers([{ type: "ADDED", object: node("b", "6") }]);
  const informer = set.get(kinds.Node);
  const seen: string[] = [];
  set.start();
  await clock.advance(0);
  expect(informer.hasSynced).toBe(true);
  const end = informer.onChange(({ type, object }) => seen.push(`${type} ${object.metadata.name}`));
  await clock.advance(1_000);
  expect(new Set(seen)).toEqual(new Set(["added a", "added b"]));
  end();
  await set.close();
  expect(clock.nextMs()).toBeUndefined();
});

it("waits for a version, but not for ever", async () => {
  const { set, clock } = informers([], [{ type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } }]);
  const informer = set.get(kinds.Node);
  set.start();
  await clock.advance(0);
  const soon = informer.reached("8" as ResourceVersion, never);
  const late = informer.reached("10" as ResourceVersion, never, 2_000);
  await clock.advance(2_000);
  expect([await soon, await late]).toEqual([true, false]);
  expect(await informer.reached("9" as ResourceVersion, never)).toBe(true);
  await set.close();
});

it("lives on when a handler or an index throws", async () => {
  const { set, clock, errors } = informers([{ type: "ADDED", object: node("b", "6") }]);
  const informer = set.get(kinds.Node);
  informer.addIndex("bad", () => {
    throw new Error("no");
  });
  informer.onChange(() => {
    throw new Error("no");
  });
  set.start();
  await clock.advance(1_000);
  expect(informer.store.size).toBe(2);
  expect(informer.store.by("bad", "x")).toEqual([]);
  expect(new Set(errors)).toEqual(new Set(["index failed", "handler failed"]));
  await set.close();
});
