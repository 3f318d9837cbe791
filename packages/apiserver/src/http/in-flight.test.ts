import { header, never, seededRandom, silentLogger, VirtualClock, type HttpResponse } from "@fairlead/base";
import { expect, it } from "vitest";

import type { UserInfo } from "../registry/request.js";
import { startApiServer, type ApiServer } from "../server.js";
import { MemoryStorage, type Journal } from "../storage/memory.js";
import { InFlight } from "./in-flight.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const MASTER: UserInfo = { username: "root", groups: ["system:masters", "system:authenticated"] };
const USER: UserInfo = { username: "user", groups: ["system:authenticated"] };

/** A server whose disk does not answer until it is told to. */
async function stalled(): Promise<{ server: ApiServer; resume: () => void }> {
  const storage = new MemoryStorage();
  const server = await startApiServer({
    clock: new VirtualClock(),
    random: seededRandom(1),
    logger: silentLogger,
    storage,
  });
  await rights(server);
  const waiting: (() => void)[] = [];
  let works = false;
  const journal: Journal = {
    refusal: undefined,
    trouble: undefined,
    append: (_write, done) => {
      if (works) queueMicrotask(done);
      else waiting.push(done);
    },
    close: async () => undefined,
  };
  storage.attach(journal);
  const resume = (): void => {
    works = true;
    for (const done of waiting.splice(0)) done();
  };
  return { server, resume };
}

async function rights(server: ApiServer): Promise<void> {
  const group = "rbac.authorization.k8s.io";
  const body = JSON.stringify({
    apiVersion: `${group}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: "user" },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: group, kind: "User", name: "user" }],
  });
  expect((await ask(server, "POST", `/apis/${group}/v1/clusterrolebindings`, { body })).status).toBe(201);
}

function ask(
  server: ApiServer,
  method: string,
  path: string,
  { body, user = MASTER }: { readonly body?: string; readonly user?: UserInfo } = {},
): Promise<HttpResponse> {
  const headers = { "content-type": "application/json" };
  return server.transport(user)({ method, path, headers, ...(body === undefined ? {} : { body }) }, never);
}

function create(server: ApiServer, name: string, user: UserInfo): Promise<HttpResponse> {
  return ask(server, "POST", MAPS, {
    user,
    body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }),
  });
}

it("the 201st write that waits for a disk is turned away; reads, health and masters are not (T9)", async () => {
  const { server, resume } = await stalled();
  const waiting = Array.from({ length: 200 }, (_, i) => create(server, `m${i}`, USER));
  const refused = await create(server, "refused", USER);
  expect(refused).toMatchObject({ status: 429, body: "Too many requests, please try again later.\n" });
  expect(header(refused.headers, "retry-after")).toBe("1");
  expect((await ask(server, "GET", MAPS, { user: USER })).status).toBe(200);
  expect((await ask(server, "GET", "/livez", { user: USER })).status).toBe(200);
  const master = create(server, "master", MASTER);
  resume();
  expect((await Promise.all([...waiting, master])).map(({ status }) => status)).toEqual(Array(201).fill(201));
  expect((await create(server, "refused", USER)).status).toBe(201);
  await server.close();
});

it("the 401st read under way is turned away, watches and health do not count (T9)", async () => {
  const clock = new VirtualClock();
  const server = await startApiServer({ clock, random: seededRandom(1), logger: silentLogger });
  await rights(server);
  const future = `${MAPS}?resourceVersion=${server.storage.revision + 1}`;
  const watches = await Promise.all(
    Array.from({ length: 500 }, () => ask(server, "GET", `${MAPS}?watch=true`, { user: USER })),
  );
  expect(watches.every(({ status }) => status === 200)).toBe(true);
  const waiting = Array.from({ length: 400 }, () => ask(server, "GET", future, { user: USER }));
  expect((await ask(server, "GET", MAPS, { user: USER })).status).toBe(429);
  for (const path of ["/livez", "/readyz", "/healthz"])
    expect((await ask(server, "GET", path, { user: USER })).status).toBe(200);
  expect((await ask(server, "GET", `${MAPS}?watch=true`, { user: USER })).status).toBe(200);
  expect((await create(server, "next", USER)).status).toBe(201);
  await clock.advance(100);
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(400).fill(200));
  expect((await ask(server, "GET", MAPS, { user: USER })).status).toBe(200);
  await server.close();
});

it("a request that fails gives its place back (T9)", async () => {
  const server = await startApiServer({
    clock: new VirtualClock(),
    random: seededRandom(1),
    logger: silentLogger,
    inFlight: { reads: 1, writes: 1 },
  });
  await rights(server);
  for (let i = 0; i < 3; i++) {
    expect((await ask(server, "GET", `${MAPS}/none`, { user: USER })).status).toBe(404);
    expect((await ask(server, "POST", MAPS, { user: USER, body: "{" })).status).toBe(400);
    expect((await ask(server, "GET", "/nowhere", { user: USER })).status).toBe(404);
  }
  await server.close();
});

it("0 is no limit", () => {
  const inFlight = new InFlight({ reads: 0, writes: 0 });
  const info = { kind: "path", path: "/api", query: new URLSearchParams() } as const;
  for (let i = 0; i < 1000; i++) expect(inFlight.enter(info, i % 2 === 0 ? "GET" : "POST", USER)).toBeDefined();
});
