import {
  bodyText,
  FairleadError,
  never,
  seededRandom,
  silentLogger,
  VirtualClock,
  type JsonObject,
} from "@fairlead/base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startApiServer, type ApiServer } from "../server.js";
import { MemoryStorage, type Journal } from "../storage/memory.js";

const IN = "/api/v1/namespaces/default";
const QUOTA = `${IN}/resourcequotas/q`;

let server: ApiServer;
/** Collections whose writes cannot be made durable. */
const broken = new Set<string>();
const journal: Journal = {
  refusal: undefined,
  trouble: undefined,
  append: ({ collection }, done) =>
    queueMicrotask(() => done(broken.has(collection) ? new FairleadError("DiskFull", "no room") : undefined)),
  close: () => Promise.resolve(),
};

beforeEach(async () => {
  broken.clear();
  server = await startApiServer({
    clock: new VirtualClock(),
    random: seededRandom(1),
    logger: silentLogger,
    storage: new MemoryStorage({ freeze: true, journal }),
    disableAdmissionPlugins: ["ServiceAccount"],
  });
});
afterEach(() => server.close());

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await server.transport()({ method, path, headers: { "content-type": type }, ...text }, never);
  return { status: response.status, body: JSON.parse(await bodyText(response)) as JsonObject };
}

/** A quota as its controller leaves it. */
async function quota(hard: JsonObject, used: JsonObject): Promise<void> {
  await call("POST", `${IN}/resourcequotas`, { metadata: { name: "q" }, spec: { hard } });
  const counted = await call("PATCH", `${QUOTA}/status?fieldManager=kube-controller-manager`, {
    status: { hard, used },
  });
  expect(counted.status).toBe(200);
}

async function used(): Promise<unknown> {
  return ((await call("GET", QUOTA)).body["status"] as JsonObject)["used"];
}

const secret = (name: string) => ({ apiVersion: "v1", kind: "Secret", metadata: { name } });
const pod = (name: string, requests?: JsonObject) => ({
  metadata: { name },
  spec: { containers: [{ name: "app", image: "a:1", ...(requests === undefined ? {} : { resources: { requests } }) }] },
});

describe("a creation", () => {
  it("is charged when it is stored, in the name of the API server, and refused when nothing is left", async () => {
    await quota({ secrets: "1" }, { secrets: "0" });
    expect((await call("POST", `${IN}/secrets`, secret("a"))).status).toBe(201);
    const { status, body } = await call("POST", `${IN}/secrets`, secret("b"));
    expect([status, body["message"]]).toEqual([
      403,
      'secrets "b" is forbidden: exceeded quota: q, requested: secrets=1, used: secrets=1, limited: secrets=1',
    ]);
    expect(await used()).toEqual({ secrets: "1" });
    const { managedFields } = (await call("GET", QUOTA)).body["metadata"] as { managedFields: JsonObject[] };
    expect(managedFields.map((each) => [each["manager"], each["operation"], each["subresource"]])).toContainEqual([
      "kube-apiserver",
      "Update",
      "status",
    ]);
  });

  it("takes room that no other takes at the same time", async () => {
    await quota({ secrets: "3", "count/secrets": "2" }, { secrets: "0", "count/secrets": "0" });
    const answers = await Promise.all(["a", "b", "c", "d"].map((name) => call("POST", `${IN}/secrets`, secret(name))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403]);
    expect(await used()).toEqual({ secrets: "2", "count/secrets": "2" });
  });

  it("is checked in a dry run, and not charged", async () => {
    await quota({ secrets: "1" }, { secrets: "0" });
    expect((await call("POST", `${IN}/secrets?dryRun=All`, secret("a"))).status).toBe(201);
    expect(await used()).toEqual({ secrets: "0" });
    await call("POST", `${IN}/secrets`, secret("a"));
    expect((await call("POST", `${IN}/secrets?dryRun=All`, secret("b"))).status).toBe(403);
  });

  it("of a name that is taken, or that another plug-in refuses, is not charged", async () => {
    await quota({ secrets: "5", pods: "5" }, { secrets: "0", pods: "0" });
    await call("POST", `${IN}/secrets`, secret("a"));
    expect((await call("POST", `${IN}/secrets`, secret("a"))).status).toBe(409);
    const spec = { limits: [{ type: "Container", min: { cpu: "1" } }] };
    await call("POST", `${IN}/limitranges`, { metadata: { name: "lr" }, spec });
    expect((await call("POST", `${IN}/pods`, pod("small", { cpu: "100m" }))).status).toBe(403);
    expect(await used()).toEqual({ secrets: "1", pods: "0" });
  });

  it("that storage could not keep is not charged", async () => {
    await quota({ secrets: "2" }, { secrets: "1" });
    broken.add("/secrets");
    expect((await call("POST", `${IN}/secrets`, secret("a"))).status).toBeGreaterThanOrEqual(500);
    expect(await used()).toEqual({ secrets: "1" });
    broken.add("/resourcequotas");
    expect((await call("POST", `${IN}/secrets`, secret("a"))).status).toBeGreaterThanOrEqual(500);
    expect(await used()).toEqual({ secrets: "1" });
  });

  it("by an apply, and of a kind that nobody knew, is counted too", async () => {
    await quota({ "count/deployments.apps": "0" }, { "count/deployments.apps": "0" });
    const path = "/apis/apps/v1/namespaces/default/deployments/web?fieldManager=me";
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "app", image: "a:1" }] } };
    const response = await server.transport()(
      {
        method: "PATCH",
        path,
        headers: { "content-type": "application/apply-patch+yaml" },
        body: JSON.stringify({
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { name: "web" },
          spec: { selector: { matchLabels: { a: "b" } }, template },
        }),
      },
      never,
    );
    expect(JSON.parse(await bodyText(response))).toMatchObject({
      message:
        'deployments.apps "web" is forbidden: exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=0, limited: count/deployments.apps=0',
    });
  });

  it("of a pod must tell what the quota counts, which a LimitRange may do for it", async () => {
    await quota({ "requests.cpu": "1" }, { "requests.cpu": "0" });
    expect((await call("POST", `${IN}/pods`, pod("a"))).body["message"]).toBe(
      'pods "a" is forbidden: failed quota: q: must specify requests.cpu for: app',
    );
    const spec = { limits: [{ type: "Container", defaultRequest: { cpu: "100m" } }] };
    await call("POST", `${IN}/limitranges`, { metadata: { name: "lr" }, spec });
    expect((await call("POST", `${IN}/pods`, pod("a"))).status).toBe(201);
    expect(await used()).toEqual({ "requests.cpu": "100m" });
  });

  it("passes a quota that was not counted yet", async () => {
    await call("POST", `${IN}/resourcequotas`, { metadata: { name: "q" }, spec: { hard: { secrets: "0" } } });
    expect((await call("POST", `${IN}/secrets`, secret("a"))).status).toBe(201);
  });
});

describe("an update", () => {
  it("of a Service's type is charged for what it adds", async () => {
    await quota({ services: "1", "services.nodeports": "1" }, { services: "0", "services.nodeports": "0" });
    await call("POST", `${IN}/services`, { metadata: { name: "s" }, spec: { ports: [{ name: "a", port: 80 }] } });
    expect(await used()).toEqual({ services: "1", "services.nodeports": "0" });
    const change = (spec: JsonObject) => call("PATCH", `${IN}/services/s`, { spec });
    expect((await change({ type: "NodePort" })).status).toBe(200);
    expect(await used()).toEqual({ services: "1", "services.nodeports": "1" });
    const ports = [
      { name: "a", port: 80 },
      { name: "b", port: 81 },
    ];
    const dry = await call("PATCH", `${IN}/services/s?dryRun=All`, { spec: { ports } });
    const { body } = await change({ ports });
    expect(body["message"]).toBe(
      'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1',
    );
    expect(dry.status).toBe(403);
    expect(await used()).toEqual({ services: "1", "services.nodeports": "1" });
  });

  it("of a pod's resources is charged through its resize", async () => {
    await quota({ cpu: "1" }, { cpu: "0" });
    await call("POST", `${IN}/pods`, pod("a", { cpu: "600m" }));
    const resize = (cpu: string) =>
      call("PATCH", `${IN}/pods/a/resize`, {
        spec: { containers: [{ name: "app", image: "a:1", resources: { requests: { cpu } } }] },
      });
    expect((await resize("700m")).status).toBe(200);
    expect(await used()).toEqual({ cpu: "700m" });
    expect((await resize("1100m")).body["message"]).toBe(
      'pods "a" is forbidden: exceeded quota: q, requested: cpu=400m, used: cpu=700m, limited: cpu=1',
    );
  });
});
