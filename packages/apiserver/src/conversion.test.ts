import {
  bodyText,
  getPath,
  never,
  parseJson,
  seededRandom,
  silentLogger,
  stringifyJson,
  VirtualClock,
  type HttpResponse,
  type JsonObject,
  type JsonValue,
  type Transport,
} from "@fairlead/base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { WebhookServer } from "./registry/webhooks.js";
import { startApiServer, type ApiServer } from "./server.js";
import { MemoryStorage } from "./storage/memory.js";

/*
 * A kind whose two versions say one thing in two ways: v1 has `spec.size`, v2 `spec.width` and `spec.height`. Objects are
 * stored as v1.
 */

const V1 = "/apis/lab.dev/v1/namespaces/default/boxes";
const V2 = "/apis/lab.dev/v2/namespaces/default/boxes";

let clock: VirtualClock;
let server: ApiServer;
/** What the webhook does with a review; `honest` unless a test says otherwise. */
let hook: (review: JsonObject) => JsonValue | Promise<JsonValue>;
let reviews: JsonObject[];
let reached: WebhookServer[];

beforeEach(async () => {
  clock = new VirtualClock();
  hook = honest;
  reviews = [];
  reached = [];
  const transport: Transport = async (request, signal) => {
    const review = parseJson(String(request.body)) as JsonObject;
    reviews.push(review);
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
    const answer = await Promise.race([hook(review), aborted]);
    return typeof answer === "string"
      ? { status: 500, headers: {}, body: answer }
      : { status: 200, headers: {}, body: stringifyJson(answer) };
  };
  server = await startApiServer({
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    storage: new MemoryStorage({ freeze: true }),
    webhooks: (at) => {
      reached.push(at);
      return transport;
    },
  });
  await define({ url: "https://hooks.test/convert" });
});
afterEach(() => server.close());

async function define(clientConfig: JsonObject, plural = "boxes", kind = "Box"): Promise<void> {
  const version = (name: string, fields: readonly string[]): JsonObject => ({
    name,
    served: true,
    storage: name === "v1",
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: Object.fromEntries([...fields, "note"].map((field) => [field, { type: "string" }])),
          },
          status: { type: "object", properties: { note: { type: "string" } } },
        },
      },
    },
  });
  await ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.lab.dev` },
    spec: {
      group: "lab.dev",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [version("v1", ["size"]), version("v2", ["width", "height"])],
      conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
    },
  });
  for (let i = 0; i < 20; i++) await clock.advance(10);
}

function respond(review: JsonObject, convertedObjects: readonly JsonValue[]): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response: { uid: getPath(review, "request", "uid") ?? "", convertedObjects, result: { status: "Success" } },
  };
}

function honest(review: JsonObject): JsonObject {
  return respond(
    review,
    objectsOf(review).map((object) => inOther(object, String(getPath(review, "request", "desiredAPIVersion")))),
  );
}

function objectsOf(review: JsonObject): readonly JsonObject[] {
  return getPath(review, "request", "objects") as readonly JsonObject[];
}

function inOther(object: JsonObject, apiVersion: string): JsonObject {
  const { size, width, height, ...rest } = (object["spec"] ?? {}) as JsonObject;
  if (apiVersion === "lab.dev/v1") {
    const joined = width === undefined && height === undefined ? {} : { size: `${String(width)}x${String(height)}` };
    return { ...object, apiVersion, spec: { ...rest, ...joined } };
  }
  const [w, h] = typeof size === "string" ? size.split("x") : [];
  return { ...object, apiVersion, spec: { ...rest, ...(w === undefined ? {} : { width: w, height: h ?? "" }) } };
}

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

async function ask(method: string, path: string, body?: JsonValue, type = "application/json"): Promise<Answer> {
  const response = await send(method, path, body, type);
  return { status: response.status, body: parseJson(await bodyText(response)) as JsonObject };
}

function send(method: string, path: string, body?: JsonValue, type = "application/json"): Promise<HttpResponse> {
  return server.transport()(
    {
      method,
      path,
      headers: { "content-type": type },
      ...(body === undefined ? {} : { body: stringifyJson(body) }),
    },
    never,
  );
}

const box = (name: string, spec: JsonObject, version = "v1"): JsonObject => ({
  apiVersion: `lab.dev/${version}`,
  kind: "Box",
  metadata: { name },
  spec,
});

async function apply(path: string, manager: string, object: JsonObject): Promise<Answer> {
  return ask("PATCH", `${path}?fieldManager=${manager}`, object, "application/apply-patch+yaml");
}

describe("objects in a version that is not stored", () => {
  it("are converted as they are read and written, and not otherwise", async () => {
    await ask("POST", V1, box("a", { size: "2x3" }));
    expect(reviews).toHaveLength(0);
    const read = await ask("GET", `${V2}/a`);
    expect(read.body).toMatchObject({ apiVersion: "lab.dev/v2", spec: { width: "2", height: "3" } });
    expect(reviews[0]).toMatchObject({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      request: { desiredAPIVersion: "lab.dev/v2", objects: [{ apiVersion: "lab.dev/v1", spec: { size: "2x3" } }] },
    });
    expect(reached[0]).toEqual({ origin: "https://hooks.test" });
    const made = await ask("POST", V2, box("b", { width: "5", height: "7" }, "v2"));
    expect(made).toMatchObject({ status: 201, body: { apiVersion: "lab.dev/v2", spec: { width: "5", height: "7" } } });
    expect((await ask("GET", `${V1}/b`)).body["spec"]).toEqual({ size: "5x7" });
    await ask("PATCH", `${V2}/b`, { spec: { height: "8" } }, "application/merge-patch+json");
    await ask("PATCH", `${V2}/b/status`, { status: { note: "seen" } }, "application/merge-patch+json");
    expect((await ask("GET", `${V1}/b`)).body).toMatchObject({ spec: { size: "5x8" }, status: { note: "seen" } });
    expect((await ask("DELETE", `${V2}/b`)).status).toBe(200);
  });

  it("are pruned by the schema of their version", async () => {
    hook = (review) =>
      respond(
        review,
        objectsOf(review).map((o) => ({ ...inOther(o, "lab.dev/v2"), extra: 1 })),
      );
    await ask("POST", V1, box("a", { size: "2x3" }));
    expect((await ask("GET", `${V2}/a`)).body).not.toHaveProperty("extra");
  });

  it("are listed with one question, and a page with no more than it needs", async () => {
    for (const name of ["a", "b", "c", "d"]) await ask("POST", V1, box(name, { size: "1x1" }));
    expect(((await ask("GET", V2)).body["items"] as readonly JsonObject[]).map((o) => o["spec"])).toEqual(
      Array.from({ length: 4 }, () => ({ width: "1", height: "1" })),
    );
    expect(reviews.map((r) => objectsOf(r).length)).toEqual([4]);
    await ask("GET", `${V2}?limit=1`);
    expect(reviews.map((r) => objectsOf(r).length)).toEqual([4, 2]);
  });

  it("are not written when nothing changes", async () => {
    await ask("POST", V2, box("a", { width: "1", height: "2" }, "v2"));
    const before = (await ask("GET", `${V2}/a`)).body;
    const after = await ask("PUT", `${V2}/a`, before);
    expect(after.body).toEqual(before);
  });

  it("are watched, and a watch ends with what is not converted", async () => {
    await ask("POST", V1, box("a", { size: "2x3" }));
    const response = await send("GET", `${V2}?watch=true&resourceVersion=0`);
    const lines = (response.body as AsyncIterable<string>)[Symbol.asyncIterator]();
    const next = async (): Promise<JsonObject> => parseJson(String((await lines.next()).value)) as JsonObject;
    expect(await next()).toMatchObject({ type: "ADDED", object: { spec: { width: "2", height: "3" } } });
    await ask("PATCH", `${V1}/a`, { spec: { size: "4x4" } }, "application/merge-patch+json");
    expect(await next()).toMatchObject({ type: "MODIFIED", object: { spec: { width: "4", height: "4" } } });
    hook = () => "boom";
    await ask("PATCH", `${V1}/a`, { spec: { size: "5x5" } }, "application/merge-patch+json");
    expect(await next()).toMatchObject({ type: "ERROR", object: { code: 500 } });
    expect((await lines.next()).done).toBe(true);
  });

  it("go with their definition although the webhook does not answer", async () => {
    await ask("POST", V1, box("a", { size: "2x3" }));
    hook = () => "boom";
    await ask("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/boxes.lab.dev");
    for (let i = 0; i < 20; i++) await clock.advance(10);
    expect((await ask("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/boxes.lab.dev")).status).toBe(
      404,
    );
  });
});

describe("ownership across versions", () => {
  it("is compared in the version of each manager", async () => {
    expect((await apply(`${V1}/a`, "one", box("a", { size: "2x3" }))).status).toBe(201);
    const same = await apply(`${V2}/a`, "two", box("a", { width: "2", height: "3" }, "v2"));
    expect(same).toMatchObject({ status: 200 });
    const managers = getPath(same.body, "metadata", "managedFields") as readonly JsonObject[];
    expect(managers.map((m) => [m["manager"], m["apiVersion"]]).sort()).toEqual([
      ["one", "lab.dev/v1"],
      ["two", "lab.dev/v2"],
    ]);
    const other = await apply(`${V2}/a`, "two", box("a", { width: "2", height: "9" }, "v2"));
    expect(other.status).toBe(409);
    expect(getPath(other.body, "details", "causes")).toEqual([
      { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".spec.size" },
    ]);
  });

  it("of a field is taken by an update in another version", async () => {
    await apply(`${V1}/a`, "one", box("a", { size: "2x3", note: "kept" }));
    const patched = await ask(
      "PATCH",
      `${V2}/a?fieldManager=two`,
      { spec: { height: "9" } },
      "application/merge-patch+json",
    );
    const owned = (getPath(patched.body, "metadata", "managedFields") as readonly JsonObject[]).map((m) => [
      m["manager"],
      Object.keys(getPath(m, "fieldsV1", "f:spec") as JsonObject),
    ]);
    expect(owned).toEqual([
      ["one", ["f:note"]],
      ["two", ["f:height"]],
    ]);
  });
});

describe("a webhook that does not do its work", () => {
  const PREFIX = "conversion webhook for lab.dev/v1, Kind=Box";
  const changed = (change: (object: JsonObject) => JsonValue) => (review: JsonObject) =>
    respond(
      review,
      objectsOf(review).map((o) => change(inOther(o, "lab.dev/v2"))),
    );
  const withMetadata = (change: JsonObject) =>
    changed((o) => ({ ...o, metadata: { ...(o["metadata"] as JsonObject), ...change } }));

  const lies: readonly (readonly [string, (review: JsonObject) => JsonValue, string])[] = [
    [
      "says no",
      (r) => ({
        ...respond(r, []),
        response: { uid: getPath(r, "request", "uid") ?? "", result: { status: "Failure", message: "not today" } },
      }),
      " failed: not today",
    ],
    [
      "gives no reason",
      (r) => ({ ...respond(r, []), response: { uid: getPath(r, "request", "uid") ?? "", result: {} } }),
      " failed: response.result.status was '', not 'Success'",
    ],
    [
      "answers nothing",
      (r) => ({ apiVersion: r["apiVersion"] ?? "", kind: "ConversionReview" }),
      " failed: no response provided",
    ],
    [
      "answers with something else",
      () => ({ apiVersion: "v1", kind: "Pod" }),
      " failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /v1, Kind=Pod",
    ],
    ["loses objects", (r) => respond(r, []), " returned 0 objects, expected 1"],
    [
      "does not convert",
      (r) => respond(r, objectsOf(r)),
      " returned invalid object at index 0: invalid groupVersion (expected lab.dev/v2, received lab.dev/v1)",
    ],
    [
      "changes the kind",
      changed((o) => ({ ...o, kind: "Crate" })),
      " returned invalid object at index 0: invalid kind (expected Box, received Crate)",
    ],
    ["changes the name", withMetadata({ name: "b" }), " returned invalid object: must have the same name: a != b"],
    [
      "changes the namespace",
      withMetadata({ namespace: "b" }),
      " returned invalid object: must have the same namespace: default != b",
    ],
    [
      "writes a label that is no text",
      withMetadata({ labels: { a: 1 } }),
      " returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object",
    ],
    ["fails", () => "boom", ' failed: an error on the server ("boom") has prevented the request from succeeding'],
  ];
  it.each(lies)("that %s fails the request", async (_what, lie, message) => {
    await ask("POST", V1, box("a", { size: "2x3" }));
    hook = lie;
    const answer = await ask("GET", `${V2}/a`);
    expect(answer).toMatchObject({ status: 500, body: { kind: "Status", message: `${PREFIX}${message}` } });
  });

  it("has the question's uid in its answer", async () => {
    await ask("POST", V1, box("a", { size: "2x3" }));
    hook = (review) => ({ ...honest(review), response: { uid: "other", result: { status: "Success" } } });
    const uid = /expected response.uid="[0-9a-f-]{36}", got "other"$/;
    expect((await ask("GET", `${V2}/a`)).body["message"]).toMatch(uid);
  });

  it("changes no metadata but labels and annotations", async () => {
    await ask("POST", V1, box("a", { size: "2x3" }));
    hook = withMetadata({ labels: { a: "b" }, generation: 7, finalizers: ["lab.dev/x"] });
    const { metadata } = (await ask("GET", `${V2}/a`)).body as { metadata: JsonObject };
    expect(metadata).toMatchObject({ labels: { a: "b" }, generation: 1 });
    expect(metadata).not.toHaveProperty("finalizers");
  });

  it("is given up after thirty seconds", async () => {
    await ask("POST", V1, box("a", { size: "2x3" }));
    hook = () => new Promise(() => undefined);
    const answer = ask("GET", `${V2}/a`);
    await clock.advance(30_000);
    expect((await answer).body["message"]).toBe(
      `${PREFIX} failed: Post "https://hooks.test/convert?timeout=30s": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    );
  });

  it("leaves nothing of a write that it refuses to convert", async () => {
    hook = () => "boom";
    expect((await ask("POST", V2, box("a", { width: "1", height: "2" }, "v2"))).status).toBe(500);
    expect((await ask("GET", `${V1}/a`)).status).toBe(404);
  });
});

describe("a webhook behind a Service", () => {
  const crate = (): Promise<Answer> => ask("GET", "/apis/lab.dev/v2/namespaces/default/crates/a");

  it("is reached at its cluster IP, under its name", async () => {
    await define({ service: { namespace: "default", name: "hooks", path: "/convert" } }, "crates", "Crate");
    await ask("POST", "/apis/lab.dev/v1/namespaces/default/crates", { ...box("a", { size: "1x2" }), kind: "Crate" });
    expect((await crate()).body["message"]).toBe(
      'conversion webhook for lab.dev/v1, Kind=Crate failed: Post "https://hooks.default.svc:443/convert?timeout=30s": service "hooks" not found',
    );
    const made = await ask("POST", "/api/v1/namespaces/default/services", {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "hooks" },
      spec: { ports: [{ port: 443 }] },
    });
    expect((await crate()).body["spec"]).toEqual({ width: "1", height: "2" });
    expect(reached).toEqual([
      { origin: `https://${String(getPath(made.body, "spec", "clusterIP"))}:443`, serverName: "hooks.default.svc" },
    ]);
  });
});

it("serves a kind of which a column cannot be read, with the columns before it", async () => {
  const column = (name: string, jsonPath: string): JsonObject => ({ name, type: "string", jsonPath });
  await ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "odds.lab.dev" },
    spec: {
      group: "lab.dev",
      scope: "Namespaced",
      names: { plural: "odds", kind: "Odd" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object" } },
          additionalPrinterColumns: [column("A", ".spec.a"), column("B", ".spec[?("), column("C", ".spec.c")],
        },
      ],
    },
  });
  for (let i = 0; i < 20; i++) await clock.advance(10);
  const response = await server.transport()(
    {
      method: "GET",
      path: "/apis/lab.dev/v1/namespaces/default/odds",
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
    },
    never,
  );
  const table = parseJson(await bodyText(response)) as { readonly columnDefinitions: readonly JsonObject[] };
  expect(table.columnDefinitions.map((each) => each["name"])).toEqual(["Name", "A"]);
});
