import { seededRandom, VirtualClock, type HttpRequest } from "@fairlead/base";
import { describe, expect, it } from "vitest";
import {
  addFinalizer,
  bindPod,
  Client,
  evict,
  finalizeNamespace,
  kinds,
  removeFinalizer,
  requestToken,
  scale,
  setStatusCondition,
  StaleObjectError,
  updateLease,
} from "../index.js";
import { jsonResponse, requestBody, scriptedTransport, statusResponse, type Answer } from "../testing.js";

function scripted(...answers: readonly Answer[]): {
  readonly client: Client;
  readonly requests: readonly HttpRequest[];
  readonly clock: VirtualClock;
} {
  const { transport, requests } = scriptedTransport(...answers);
  const clock = new VirtualClock();
  return { client: new Client({ transport, clock, random: seededRandom(1), fieldManager: "me" }), requests, clock };
}

const pod: kinds.Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "a",
    namespace: "ns",
    uid: "u1" as never,
    resourceVersion: "5" as never,
    finalizers: ["x/y", "mine/z"],
  },
};

describe("reading", () => {
  it("gets, and finds nothing where get would throw", async () => {
    const { client, requests } = scripted(
      jsonResponse(pod),
      statusResponse(404, "NotFound", "pods a not found"),
      statusResponse(404, "NotFound", "pods a not found"),
      statusResponse(403, "Forbidden", "no"),
    );
    const api = client.api(kinds.Pod, "ns");
    expect(await api.get("a")).toEqual(pod);
    expect(await api.find({ namespace: "other", name: "a" })).toBeUndefined();
    await expect(api.get("a")).rejects.toMatchObject({ reason: "NotFound" });
    await expect(api.find("a")).rejects.toMatchObject({ reason: "Forbidden" });
    expect(requests.map((request) => request.path)).toEqual([
      "/api/v1/namespaces/ns/pods/a",
      "/api/v1/namespaces/other/pods/a",
      "/api/v1/namespaces/ns/pods/a",
      "/api/v1/namespaces/ns/pods/a",
    ]);
  });

  it("lists all pages as one, and gives each item its kind", async () => {
    const { client, requests } = scripted(
      jsonResponse({ metadata: { resourceVersion: "7", continue: "t1" }, items: [{ metadata: { name: "a" } }] }),
      jsonResponse({ metadata: { resourceVersion: "7" }, items: [{ metadata: { name: "b" } }] }),
    );
    expect(await client.api(kinds.Deployment).list({ labelSelector: "a=b", resourceVersion: "0" })).toEqual({
      resourceVersion: "7",
      items: ["a", "b"].map((name) => ({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name } })),
    });
    expect(requests.map((request) => request.path)).toEqual([
      "/apis/apps/v1/deployments?labelSelector=a%3Db&limit=500&resourceVersion=0",
      "/apis/apps/v1/deployments?labelSelector=a%3Db&limit=500&continue=t1",
    ]);
  });

  it("makes a StatusError of an answer that is none", async () => {
    const { client } = scripted(
      { status: 403, headers: {}, body: "go away" },
      { status: 200, headers: {}, body: "<html>" },
    );
    await expect(client.api(kinds.Node).get("a")).rejects.toMatchObject({
      reason: "Forbidden",
      message: "get Node a: HTTP 403 go away",
    });
    await expect(client.api(kinds.Node).get("a")).rejects.toMatchObject({ code: "Response" });
  });
});

describe("creating and deleting", () => {
  it("fills in type and namespace, and names the manager", async () => {
    const { client, requests } = scripted(
      jsonResponse(pod, 201),
      jsonResponse({ ...pod, metadata: { name: "b" } }, 201),
    );
    await client.api(kinds.Pod, "ns").create({ metadata: { generateName: "a-" } });
    await client.api(kinds.Namespace).create({ metadata: { name: "b" } }, { dryRun: true });
    expect(requests.map((request) => request.path)).toEqual([
      "/api/v1/namespaces/ns/pods?fieldManager=me",
      "/api/v1/namespaces?dryRun=All&fieldManager=me",
    ]);
    expect(await requestBody(requests[0] as HttpRequest)).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { generateName: "a-", namespace: "ns" },
    });
    await expect(client.api(kinds.Pod).create({ metadata: { name: "a" } })).rejects.toThrow("is namespaced");
  });

  it("deletes the life that was read", async () => {
    const { client, requests } = scripted(jsonResponse(pod), jsonResponse({ kind: "Status", status: "Success" }));
    const api = client.api(kinds.Pod);
    expect(await api.deleteObject(pod, { gracePeriodSeconds: 0 })).toEqual(pod);
    expect(await api.delete({ namespace: "ns", name: "a" }, { preconditions: "none" })).toBeUndefined();
    expect(await requestBody(requests[0] as HttpRequest)).toMatchObject({
      gracePeriodSeconds: 0,
      preconditions: { uid: "u1" },
    });
    expect(requests[1]?.body).toBeUndefined();
    expect(() => api.deleteObject({ metadata: { name: "a" } })).toThrow("has no uid");
  });
});

describe("retries", () => {
  it("waits as long as the server asks, and then tries again", async () => {
    const { client, requests, clock } = scripted(
      { ...statusResponse(429, "TooManyRequests", "later"), headers: { "retry-after": "3" } },
      statusResponse(503, "ServiceUnavailable", "later"),
      jsonResponse(pod),
    );
    const got = client.api(kinds.Pod, "ns").get("a");
    await clock.advance(2_999);
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    expect(requests).toHaveLength(2);
    await clock.advance(200);
    expect(await got).toEqual(pod);
  });

  it("repeats a write only when it was turned away unread", async () => {
    const { client, requests, clock } = scripted(
      { ...statusResponse(429, "TooManyRequests", "later"), headers: { "retry-after": "1" } },
      jsonResponse(pod, 201),
      statusResponse(503, "ServiceUnavailable", "maybe"),
      new Error("reset"),
    );
    const api = client.api(kinds.Pod, "ns");
    const created = api.create({ metadata: { name: "a" } }).ignoreError("only the requests matter");
    await clock.advance(1_000);
    expect(await created).toEqual(pod);
    await expect(api.create({ metadata: { name: "a" } })).rejects.toMatchObject({ reason: "ServiceUnavailable" });
    await expect(api.create({ metadata: { name: "a" } })).rejects.toThrow("reset");
    expect(requests).toHaveLength(4);
  });
});

describe("a bound client", () => {
  it("ends its calls with its signal, and with that of the call", async () => {
    const hang = (_request: HttpRequest, signal: AbortSignal): Promise<never> =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    const { client } = scripted(hang, hang);
    const [bound, own] = [new AbortController(), new AbortController()];
    const api = client.boundTo(bound.signal).api(kinds.Node);
    const [first, second] = [api.get("a"), api.get("b", { signal: own.signal })];
    own.abort(new Error("own"));
    await expect(second).rejects.toThrow("own");
    bound.abort(new Error("bound"));
    await expect(first).rejects.toThrow("bound");
  });
});

describe("keyed edits", () => {
  it("append a finalizer, or bind the first one to the version", async () => {
    const { client, requests } = scripted(jsonResponse(pod), jsonResponse(pod));
    const api = client.api(kinds.Pod);
    await addFinalizer(api, pod, "new/f");
    await addFinalizer(api, { ...pod, metadata: { ...pod.metadata, finalizers: [] } }, "new/f");
    await addFinalizer(api, pod, "x/y");
    expect(await Promise.all(requests.map(requestBody))).toEqual([
      [
        { op: "test", path: "/metadata/uid", value: "u1" },
        { op: "add", path: "/metadata/finalizers/-", value: "new/f" },
      ],
      { metadata: { uid: "u1", resourceVersion: "5", finalizers: ["new/f"] } },
    ]);
  });

  it("remove one finalizer, and no other that came to stand in its place", async () => {
    const { client, requests } = scripted(
      statusResponse(422, "Invalid", "the server rejected our request due to an error in our request"),
    );
    await expect(removeFinalizer(client.api(kinds.Pod), pod, "mine/z")).rejects.toBeInstanceOf(StaleObjectError);
    expect(await requestBody(requests[0] as HttpRequest)).toEqual([
      { op: "test", path: "/metadata/uid", value: "u1" },
      { op: "test", path: "/metadata/finalizers/1", value: "mine/z" },
      { op: "remove", path: "/metadata/finalizers/1" },
    ]);
  });

  it("set one condition", async () => {
    const { client, requests } = scripted(jsonResponse(pod), jsonResponse(pod));
    const ready = { type: "Ready", status: "True" } as const;
    const held: kinds.Pod = {
      ...pod,
      status: {
        conditions: [
          { type: "Other", status: "False" },
          { type: "Ready", status: "False" },
        ],
      },
    };
    await setStatusCondition(client.api(kinds.Pod), held, ready);
    await setStatusCondition(client.api(kinds.Pod), pod, ready);
    expect(requests[0]?.path).toBe("/api/v1/namespaces/ns/pods/a/status?fieldManager=me");
    expect(await requestBody(requests[0] as HttpRequest)).toMatchObject([
      {},
      { op: "test", path: "/status/conditions/1/type", value: "Ready" },
      { op: "replace", path: "/status/conditions/1" },
    ]);
    expect(await requestBody(requests[1] as HttpRequest)).toEqual({
      metadata: { uid: "u1", resourceVersion: "5" },
      status: { conditions: [ready] },
    });
  });
});

describe("subresources", () => {
  it.each<
    [
      what: string,
      send: (client: Client) => PromiseLike<unknown>,
      answer: unknown,
      request: readonly [method: string, path: string, body: unknown],
    ]
  >([
    [
      "evict",
      (client) => evict(client.api(kinds.Pod, "ns"), "a", { gracePeriodSeconds: 5 }),
      { kind: "Status" },
      [
        "POST",
        "/api/v1/namespaces/ns/pods/a/eviction",
        {
          apiVersion: "policy/v1",
          kind: "Eviction",
          metadata: { name: "a", namespace: "ns" },
          deleteOptions: { gracePeriodSeconds: 5 },
        },
      ],
    ],
    [
      "bind",
      (client) => bindPod(client.api(kinds.Pod, "ns"), "a", "node-1", { uid: "u1" }),
      { kind: "Status" },
      [
        "POST",
        "/api/v1/namespaces/ns/pods/a/binding?fieldManager=me",
        {
          kind: "Binding",
          metadata: { name: "a", namespace: "ns", uid: "u1" },
          target: { kind: "Node", name: "node-1" },
        },
      ],
    ],
    [
      "token",
      (client) => requestToken(client.api(kinds.ServiceAccount, "ns"), "a", { expirationSeconds: 600 }),
      { status: { token: "t" } },
      [
        "POST",
        "/api/v1/namespaces/ns/serviceaccounts/a/token",
        { kind: "TokenRequest", spec: { expirationSeconds: 600 } },
      ],
    ],
    [
      "scale",
      (client) => scale(client.api(kinds.Deployment, "ns"), "a", 3),
      { kind: "Scale", metadata: { name: "a" } },
      ["PATCH", "/apis/apps/v1/namespaces/ns/deployments/a/scale?fieldManager=me", { spec: { replicas: 3 } }],
    ],
    [
      "finalize",
      (client) =>
        finalizeNamespace(client.api(kinds.Namespace), { metadata: { name: "n", resourceVersion: "4" as never } }, []),
      { kind: "Namespace", metadata: { name: "n" } },
      [
        "PUT",
        "/api/v1/namespaces/n/finalize?fieldManager=me",
        { metadata: { name: "n", resourceVersion: "4" }, spec: { finalizers: [] } },
      ],
    ],
    [
      "lease",
      (client) =>
        updateLease(client.api(kinds.Lease), {
          metadata: { name: "l", namespace: "ns", resourceVersion: "4" as never },
          spec: { holderIdentity: "x" },
        }),
      { kind: "Lease", metadata: { name: "l" } },
      [
        "PUT",
        "/apis/coordination.k8s.io/v1/namespaces/ns/leases/l?fieldManager=me",
        { metadata: { resourceVersion: "4" }, spec: { holderIdentity: "x" } },
      ],
    ],
  ])("%s", async (_what, send, answer, [method, path, body]) => {
    const { client, requests } = scripted(jsonResponse(answer));
    await send(client);
    expect(requests).toMatchObject([{ method, path }]);
    expect(await requestBody(requests[0] as HttpRequest)).toMatchObject(body as object);
  });

  it("refuses a lease that was not read", () => {
    const { client } = scripted();
    expect(() => updateLease(client.api(kinds.Lease, "ns"), { metadata: { name: "l" } })).toThrow("no resourceVersion");
  });
});

describe("discovery", () => {
  const list = (...resources: readonly unknown[]): Answer => jsonResponse({ kind: "APIResourceList", resources });
  const widget = { name: "widgets", kind: "Widget", namespaced: true, verbs: ["get", "list"], shortNames: ["wi"] };

  it("finds where a kind is served, asks once, and again for what it does not know", async () => {
    const { client, requests } = scripted(
      statusResponse(404, "NotFound", "no"),
      list(widget, { name: "widgets/status", kind: "Widget", namespaced: true }),
    );
    const gvk = { group: "example.com", version: "v1", kind: "Widget" };
    await expect(client.discovery.get(gvk)).rejects.toMatchObject({ code: "UnknownKind" });
    expect(await client.discovery.get(gvk)).toMatchObject({
      ...gvk,
      resource: "widgets",
      namespaced: true,
      subresources: ["status"],
    });
    expect(await client.discovery.ofObject({ apiVersion: "example.com/v1", kind: "Widget" })).toMatchObject({
      resource: "widgets",
    });
    expect(requests.map((request) => request.path)).toEqual(["/apis/example.com/v1", "/apis/example.com/v1"]);
  });

  it("lists every preferred kind", async () => {
    const { client } = scripted(
      jsonResponse({ groups: [{ name: "example.com", preferredVersion: { version: "v1" } }] }),
      list({ name: "pods", kind: "Pod", namespaced: true, verbs: ["get"] }),
      list(widget),
    );
    expect((await client.discovery.preferred()).map((kind) => `${kind.group}/${kind.resource}`)).toEqual([
      "/pods",
      "example.com/widgets",
    ]);
  });
});
