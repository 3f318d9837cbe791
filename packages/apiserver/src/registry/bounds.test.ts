import { afterEach, describe, expect, it } from "vitest";
import {
  bodyText,
  never,
  parseJson,
  seededRandom,
  silentLogger,
  VirtualClock,
  type HttpRequest,
  type JsonObject,
} from "@fairlead/base";

import { startApiServer, type ApiServer } from "../server.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS = "/apis/lab.dev/v1/namespaces/default/widgets";
const TYPES = {
  json: "application/json",
  merge: "application/merge-patch+json",
  apply: "application/apply-patch+yaml",
  patch: "application/json-patch+json",
};

/** A clock that counts how often a long computation let others have their turn. */
class CountingClock extends VirtualClock {
  turns = 0;

  override turn(): Promise<void> {
    this.turns++;
    return super.turn();
  }
}

let server: ApiServer;
const clock = new CountingClock();
afterEach(() => server.close());

async function call(
  request: Omit<HttpRequest, "headers">,
  type: keyof typeof TYPES = "json",
): Promise<[number, string]> {
  const response = await server.transport()({ ...request, headers: { "content-type": TYPES[type] } }, never);
  const body = parseJson(await bodyText(response)) as JsonObject;
  return [response.status, String(body["message"])];
}

async function start(): Promise<void> {
  server = await startApiServer({ clock, random: seededRandom(1), logger: silentLogger });
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const spec = {
    group: "lab.dev",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
  };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.lab.dev" },
    spec,
  };
  expect((await call({ method: "POST", path: CRDS, body: JSON.stringify(crd) }))[0]).toBe(201);
}

const widget = (spec: string): string =>
  `{"apiVersion":"lab.dev/v1","kind":"Widget","metadata":{"name":"w"},"spec":${spec}}`;
const list = (length: number): string => `[${"1,".repeat(length - 1)}1]`;
const map = (length: number): string => `{${Array.from({ length }, (_, i) => `"k${i}":1`).join(",")}}`;

describe("an object that holds too much", () => {
  it.each<[what: string, spec: string, message: string]>([
    ["values", list(50_000), "Request entity too large: limit is 50000 values"],
    ["keys", `{"a":${map(10_001)}}`, "Request entity too large: limit is 10000 keys in one object"],
  ])("is refused by every verb that sends it: %s", async (_what, spec, message) => {
    await start();
    expect((await call({ method: "POST", path: WIDGETS, body: widget("{}") }))[0]).toBe(201);
    const path = `${WIDGETS}/w`;
    expect(await call({ method: "POST", path: WIDGETS, body: widget(spec) })).toEqual([413, message]);
    expect(await call({ method: "PUT", path, body: widget(spec) })).toEqual([413, message]);
    expect(await call({ method: "PATCH", path, body: `{"spec":${spec}}` }, "merge")).toEqual([413, message]);
    expect(await call({ method: "PATCH", path: `${path}?fieldManager=m`, body: widget(spec) }, "apply")).toEqual([
      413,
      message,
    ]);
    const patch = `[{"op":"add","path":"/spec","value":${spec}}]`;
    expect(await call({ method: "PATCH", path, body: patch }, "patch")).toEqual([413, message]);
  });

  it("is refused earlier where it is YAML, unless that is JSON", async () => {
    await start();
    const path = `${WIDGETS}/w?fieldManager=m`;
    const yaml = `apiVersion: lab.dev/v1\nkind: Widget\nmetadata: {name: w}\nspec: {a: ${list(40_000)}}`;
    expect(await call({ method: "PATCH", path, body: yaml }, "apply")).toEqual([
      413,
      "Request entity too large: limit is 30000 values",
    ]);
    expect((await call({ method: "PATCH", path, body: widget(`{"a":${list(40_000)}}`) }, "apply"))[0]).toBe(201);
  });

  it("cannot grow out of patches that are small enough", async () => {
    await start();
    expect((await call({ method: "POST", path: WIDGETS, body: widget(`{"a":${list(30_000)}}`) }))[0]).toBe(201);
    expect(
      await call({ method: "PATCH", path: `${WIDGETS}/w`, body: `{"spec":{"b":${list(30_000)}}}` }, "merge"),
    ).toEqual([413, "Request entity too large: limit is 50000 values"]);
  });

  it("is refused as etcd does where its text is too long", async () => {
    await start();
    const text = "é".repeat(800 * 1024);
    expect(await call({ method: "POST", path: WIDGETS, body: widget(`{"a":"${text}"}`) })).toEqual([
      500,
      "etcdserver: request is too large",
    ]);
    expect((await call({ method: "GET", path: `${WIDGETS}/w` }))[0]).toBe(404);
    expect((await call({ method: "POST", path: WIDGETS, body: widget(`{"a":"${text.slice(0, 700_000)}"}`) }))[0]).toBe(
      201,
    );
  });
});

it("tells the first 1,000 of many field errors, and how many there are beyond", async () => {
  await start();
  const listsOfLabels = Array.from({ length: 1_500 }, (_, i) => `"-${i}":"v"`).join(",");
  const metadata = `{"name":"w","labels":{${listsOfLabels}}}`;
  const body = `{"apiVersion":"lab.dev/v1","kind":"Widget","metadata":${metadata}}`;
  const [status, message] = await call({ method: "POST", path: WIDGETS, body });
  expect(status).toBe(422);
  expect(message).toMatch(/, <nil>: Too many: 500 more errors are not shown\]$/);
  expect(message.match(/Invalid value: "-/g)).toHaveLength(1_000);
});

it("lets others have their turn between the parts of a large request, and of a small one on a large object", async () => {
  await start();
  const turns = async (...request: Parameters<typeof call>): Promise<number> => {
    const before = clock.turns;
    expect((await call(...request))[0]).toBeLessThan(300);
    return clock.turns - before;
  };
  const data = (length: number): string => JSON.stringify({ text: "x".repeat(length) });
  const configMap = (name: string, length: number): string =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":${data(length)}}`;
  expect(await turns({ method: "POST", path: MAPS, body: configMap("small", 1000) })).toBe(0);
  expect(await turns({ method: "POST", path: MAPS, body: configMap("large", 100_000) })).toBeGreaterThan(3);
  expect(await turns({ method: "PUT", path: `${MAPS}/large`, body: configMap("large", 100_001) })).toBeGreaterThan(3);
  const small = '{"data":{"more":"x"}}';
  expect(await turns({ method: "PATCH", path: `${MAPS}/large`, body: small }, "merge")).toBeGreaterThan(2);
  expect(await turns({ method: "PATCH", path: `${MAPS}/small`, body: small }, "merge")).toBe(0);
  const path = (name: string): string => `${MAPS}/${name}?fieldManager=m&force=true`;
  expect(
    await turns({ method: "PATCH", path: path("large"), body: configMap("large", 100_000) }, "apply"),
  ).toBeGreaterThan(3);
  expect(await turns({ method: "PATCH", path: path("new"), body: configMap("new", 100_000) }, "apply")).toBeGreaterThan(
    3,
  );
  expect(await turns({ method: "PATCH", path: path("small"), body: configMap("small", 10) }, "apply")).toBe(0);
});

it("tells of a hundred unknown fields of a built-in kind at most, as Go's strict decoder does", async () => {
  await start();
  const body = (fields: number): string =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},${Array.from({ length: fields }, (_, i) => `"f${i}":1`).join()}}`;
  const told = async (fields: number): Promise<number> => {
    const [status, message] = await call({
      method: "POST",
      path: `${MAPS}?fieldValidation=Strict`,
      body: body(fields),
    });
    expect(status).toBe(400);
    return message.split("unknown field").length - 1;
  };
  expect(await told(99)).toBe(99);
  expect(await told(150)).toBe(100);
});

it("reads a byte order mark where YAML may have one, and refuses it in JSON", async () => {
  await start();
  const body = new TextEncoder().encode(`\ufeff{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}`);
  const [status, message] = await call({ method: "POST", path: MAPS, body });
  expect([status, message]).toEqual([
    400,
    expect.stringContaining("json parse error: invalid character 'ï' looking for"),
  ]);
  expect((await call({ method: "PATCH", path: `${MAPS}/x?fieldManager=m`, body }, "apply"))[0]).toBe(201);
});
