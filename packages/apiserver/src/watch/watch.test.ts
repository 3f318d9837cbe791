import { never, seededRandom, silentLogger, VirtualClock, type HttpRequest, type JsonObject } from "@fairlead/base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startApiServer, type ApiServer } from "../server.js";

const MAPS = "/api/v1/namespaces/default/configmaps";

interface Told {
  readonly events: JsonObject[];
  readonly state: { ended: boolean };
}

describe("a watch", () => {
  let clock: VirtualClock;
  let server: ApiServer;
  beforeEach(async () => {
    clock = new VirtualClock();
    server = await startApiServer({ clock, random: seededRandom(1), logger: silentLogger });
    await create("there");
  });
  afterEach(() => server.close());

  async function create(name: string, text = ""): Promise<void> {
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text } });
    const headers = { "content-type": "application/json" };
    const { status } = await server.transport()({ method: "POST", path: MAPS, headers, body }, never);
    expect(status).toBe(201);
  }

  async function watch(query: string): Promise<Told> {
    const request: HttpRequest = { method: "GET", path: `${MAPS}?watch=true&${query}`, headers: {} };
    const { status, body } = await server.transport()(request, never);
    expect(status).toBe(200);
    const told: Told = { events: [], state: { ended: false } };
    const read = async (): Promise<void> => {
      for await (const line of body as AsyncIterable<string>) told.events.push(JSON.parse(line) as JsonObject);
      told.state.ended = true;
    };
    void read();
    await clock.advance(0);
    return told;
  }

  const revision = (): string => String(server.storage.revision);
  const types = ({ events }: Told): unknown[] => events.map(({ type }) => type);

  it("from 0 without sendInitialEvents begins with the state and a bookmark that says so", async () => {
    const told = await watch("resourceVersion=0&allowWatchBookmarks=true");
    expect(types(told)).toEqual(["ADDED", "BOOKMARK"]);
    expect(told.events[1]).toMatchObject({
      object: { metadata: { resourceVersion: revision(), annotations: { "k8s.io/initial-events-end": "true" } } },
    });
  });

  it("from 0 with sendInitialEvents=false tells news only", async () => {
    const told = await watch("resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
    expect(types(told)).toEqual([]);
    await create("new");
    await clock.advance(0);
    expect(told.events).toMatchObject([{ type: "ADDED", object: { metadata: { name: "new" } } }]);
  });

  it("from a revision that is not reached sends no bookmark before it is (V10)", async () => {
    const next = server.storage.revision + 1;
    const told = await watch(`resourceVersion=${next}&allowWatchBookmarks=true`);
    await clock.advance(61_000);
    expect(types(told)).toEqual([]);
    await create("reached");
    await create("after");
    await clock.advance(61_000);
    expect(types(told)).toEqual(["ADDED", "BOOKMARK"]);
  });

  it("that waits for a revision ends when its time is over", async () => {
    const wanted = server.storage.revision + 1000;
    const query = `resourceVersion=${wanted}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
    const told = await watch(`${query}&timeoutSeconds=5`);
    await clock.advance(4000);
    expect(told.state.ended).toBe(false);
    await clock.advance(2000);
    expect(told).toEqual({ events: [], state: { ended: true } });
  });

  it("that nobody reads holds at most 8 MiB, ends, and is resumed without a gap; others go on (T8)", async () => {
    const from = revision();
    const path = `${MAPS}?watch=true&resourceVersion=${from}`;
    const { body } = await server.transport()({ method: "GET", path, headers: {} }, never);
    const stalled = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    const first = stalled.next();
    const healthy = await watch(`resourceVersion=${from}`);
    for (let i = 0; i < 20; i++) {
      await create(`large-${i}`, "x".repeat(1 << 20).slice(0, (1 << 20) - 100));
      await clock.advance(0);
    }
    const names = ({ object }: JsonObject): unknown => (object as { metadata: JsonObject }).metadata["name"];
    expect(healthy.events.map(names)).toEqual(Array.from({ length: 20 }, (_, i) => `large-${i}`));
    const told = [JSON.parse((await first).value as string) as JsonObject];
    for (let next = await stalled.next(); next.done !== true; next = await stalled.next())
      told.push(JSON.parse(next.value) as JsonObject);
    expect(told.length).toBeGreaterThanOrEqual(7);
    expect(told.length).toBeLessThanOrEqual(9);
    const last = (told.at(-1) as { object: { metadata: { resourceVersion: string } } }).object.metadata.resourceVersion;
    const rest: JsonObject[] = [];
    for (let at = last; rest.length + told.length < 20;) {
      const { events } = await watch(`resourceVersion=${at}`);
      rest.push(...events);
      at = (events.at(-1) as { object: { metadata: { resourceVersion: string } } }).object.metadata.resourceVersion;
    }
    expect([...told, ...rest].map(names)).toEqual(healthy.events.map(names));
  });
});
