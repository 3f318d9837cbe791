import {
  bodyText,
  never,
  seededRandom,
  silentLogger,
  VirtualClock,
  type HttpResponse,
  type JsonObject,
} from "@fairlead/base";
import { afterEach, describe, expect, it } from "vitest";

import type { UserInfo } from "./registry/request.js";
import { startApiServer, type ApiServer } from "./server.js";
import { MemoryStorage } from "./storage/memory.js";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS = "/apis/lab.dev/v1/namespaces/default/widgets";
const MAPS = "/api/v1/namespaces/default/configmaps";

interface Answer {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly body: JsonObject;
}

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface Lab {
  readonly clock: VirtualClock;
  call(
    method: string,
    path: string,
    body?: unknown,
    options?: { readonly type?: string; readonly user?: UserInfo; readonly token?: string },
  ): Promise<Answer>;
}

/** A server whose stored objects are frozen, so that a strategy that changes one fails its test. */
async function lab(): Promise<Lab> {
  const clock = new VirtualClock();
  const server = await startApiServer({
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    storage: new MemoryStorage({ freeze: true }),
  });
  servers.push(server);
  return {
    clock,
    async call(method, path, body, { type = "application/json", user, token } = {}) {
      const headers = { "content-type": type, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
      const text = typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body);
      const request = { method, path, headers, ...(text === undefined ? {} : { body: text }) };
      const response =
        token === undefined ? await server.transport(user)(request, never) : await server.handle(request, never);
      return {
        status: response.status,
        headers: response.headers,
        body: JSON.parse(await bodyText(response)) as JsonObject,
      };
    },
  };
}

const APPLY = { type: "application/apply-patch+yaml" };

async function withWidgets(): Promise<Lab> {
  const made = await lab();
  const schema = {
    type: "object",
    properties: {
      spec: { type: "object", properties: { replicas: { type: "integer" }, image: { type: "string" } } },
      status: { type: "object", properties: { replicas: { type: "integer" } } },
    },
  };
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  await made.call("POST", CRDS, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.lab.dev" },
    spec: {
      group: "lab.dev",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: { status: {}, scale },
        },
      ],
    },
  });
  for (let i = 0; i < 20; i++) await Promise.resolve();
  return made;
}

function entries({ body }: Answer): readonly JsonObject[] {
  return ((body["metadata"] as JsonObject)["managedFields"] ?? []) as readonly JsonObject[];
}

function versionOf({ body }: Answer): unknown {
  return (body["metadata"] as JsonObject)["resourceVersion"];
}

describe("a write through /scale", () => {
  it("makes its manager own the replicas of the parent, without a time", async () => {
    const { call } = await withWidgets();
    await call(
      "PATCH",
      `${WIDGETS}/w?fieldManager=a`,
      { apiVersion: "lab.dev/v1", kind: "Widget", metadata: { name: "w" }, spec: { replicas: 1 } },
      APPLY,
    );
    const scaled = await call(
      "PATCH",
      `${WIDGETS}/w/scale?fieldManager=h`,
      { spec: { replicas: 3 } },
      { type: "application/merge-patch+json" },
    );
    expect(scaled.body["spec"]).toEqual({ replicas: 3 });
    const owners = entries(await call("GET", `${WIDGETS}/w`));
    expect(owners.map((e) => [e["manager"], e["subresource"], e["time"]])).toEqual([["h", "scale", undefined]]);
  });
});

describe("metadata of an applied custom resource", () => {
  it("comes out without empty maps, and is written again by the next change of nothing", async () => {
    const { call } = await withWidgets();
    const config = {
      apiVersion: "lab.dev/v1",
      kind: "Widget",
      metadata: { name: "w", annotations: {} },
      spec: { image: "x" },
    };
    const applied = await call("PATCH", `${WIDGETS}/w?fieldManager=a`, config, APPLY);
    expect(applied.body["metadata"]).not.toHaveProperty("annotations");
    const patched = await call("PATCH", `${WIDGETS}/w`, {}, { type: "application/merge-patch+json" });
    expect(versionOf(patched)).not.toBe(versionOf(applied));
    expect(versionOf(await call("PATCH", `${WIDGETS}/w`, {}, { type: "application/merge-patch+json" }))).toBe(
      versionOf(patched),
    );
  });
});

describe("decoding", () => {
  it.each<
    [
      sentence: string,
      method: string,
      path: string,
      body: unknown,
      type: string | undefined,
      status: number,
      message: string,
    ]
  >([
    [
      "refuses an apply of a fraction with the converter's words",
      "PATCH",
      "/apis/apps/v1/namespaces/default/deployments/d?fieldManager=a",
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" }, spec: { replicas: 1.5 } },
      APPLY.type,
      500,
      "cannot convert float64 to int32",
    ],
    [
      "refuses an apply without a name",
      "PATCH",
      `${MAPS}/m?fieldManager=a`,
      { apiVersion: "v1", kind: "ConfigMap" },
      APPLY.type,
      400,
      "name must be provided",
    ],
    [
      "refuses another kind",
      "POST",
      MAPS,
      { apiVersion: "v1", kind: "Secret", metadata: { name: "m" } },
      undefined,
      400,
      "converting (v1.Secret) to (core.ConfigMap): unknown conversion",
    ],
    [
      "refuses options of another kind",
      "DELETE",
      `${MAPS}/m`,
      { apiVersion: "v1", kind: "ConfigMap" },
      undefined,
      400,
      'no kind "ConfigMap" is registered',
    ],
    [
      "refuses to create outside a namespace",
      "POST",
      "/api/v1/configmaps",
      { metadata: { name: "m" } },
      undefined,
      405,
      "does not allow this method",
    ],
    [
      "finds nothing to patch before it reads the patch",
      "PATCH",
      `${MAPS}/nonesuch`,
      "{bad",
      "application/merge-patch+json",
      404,
      "not found",
    ],
  ])("%s", async (_sentence, method, path, body, type, status, message) => {
    const { call } = await lab();
    const answer = await call(method, path, body, type === undefined ? {} : { type });
    expect([answer.status, answer.body["message"]]).toEqual([status, expect.stringContaining(message)]);
  });

  it("forgets all ownership of a built-in object that is sent an empty list of it", async () => {
    const { call } = await lab();
    await call("POST", MAPS, { metadata: { name: "m" }, data: { k: "v" } });
    const reset = await call("PUT", `${MAPS}/m`, { metadata: { name: "m", managedFields: [] }, data: { k: "v" } });
    expect(entries(reset)).toEqual([]);
  });

  it("folds owners that stand twice, with a warning", async () => {
    const { call } = await lab();
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "1-1" };
    const made = await call("POST", MAPS, { metadata: { name: "m", ownerReferences: [owner, owner] } });
    expect((made.body["metadata"] as JsonObject)["ownerReferences"]).toEqual([owner]);
    expect(made.headers["warning"]).toEqual([expect.stringContaining("duplicate UID(s) observed: 1-1")]);
  });
});

describe("a namespace", () => {
  it.each<[verb: string, method: string, path: string, type: string | undefined]>([
    ["a POST", "POST", "/api/v1/namespaces", undefined],
    ["an apply", "PATCH", "/api/v1/namespaces/n?fieldManager=a", APPLY.type],
  ])("made by %s with an empty spec waits for its content when it is deleted", async (_verb, method, path, type) => {
    const { call } = await lab();
    await call(
      method,
      path,
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" }, spec: {}, status: {} },
      type === undefined ? {} : { type },
    );
    const deleted = await call("DELETE", "/api/v1/namespaces/n");
    expect([deleted.body["status"], deleted.body["spec"]]).toEqual([
      { phase: "Terminating" },
      { finalizers: ["kubernetes"] },
    ]);
    expect((await call("GET", "/api/v1/namespaces/n")).status).toBe(200);
  });
});

describe("continue tokens", () => {
  it("are refused when somebody else has made them", async () => {
    const { call } = await lab();
    for (const name of ["a", "b"]) await call("POST", MAPS, { metadata: { name } });
    const token = String(((await call("GET", `${MAPS}?limit=1`)).body["metadata"] as JsonObject)["continue"]);
    expect((await call("GET", `${MAPS}?limit=1&continue=${token}`)).status).toBe(200);
    const forged = Buffer.from(Buffer.from(token, "base64url").toString().replace("/a", "/b")).toString("base64url");
    expect((await call("GET", `${MAPS}?limit=1&continue=${forged}`)).status).toBe(410);
    expect((await call("GET", `/api/v1/configmaps?limit=1&continue=${token}`)).status).toBe(410);
  });
});

describe("service accounts", () => {
  it("act with tokens that run out, and with the account", async () => {
    const { call, clock } = await lab();
    await call("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } });
    const made = await call("POST", "/api/v1/namespaces/default/serviceaccounts/robot/token", {
      spec: { expirationSeconds: 600 },
    });
    const { token } = made.body["status"] as { readonly token: string };
    const self = (): Promise<Answer> =>
      call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, { token });
    expect((await self()).body["status"]).toMatchObject({
      userInfo: { username: "system:serviceaccount:default:robot" },
    });
    const review = await call("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } });
    expect(review.body["status"]).toMatchObject({ authenticated: true });
    await clock.advance(601_000);
    expect((await self()).status).toBe(401);
  });

  it("grant nothing that they do not hold", async () => {
    const { call } = await lab();
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    const jane: UserInfo = { username: "jane", groups: ["system:authenticated"] };
    const rules = [{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs: ["create"] }];
    await call("POST", `${rbac}/roles`, { metadata: { name: "writer" }, rules });
    await call("POST", `${rbac}/rolebindings`, {
      metadata: { name: "jane" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "writer" },
      subjects: [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }],
    });
    const same = await call("POST", `${rbac}/roles`, { metadata: { name: "same" }, rules }, { user: jane });
    const more = await call(
      "POST",
      `${rbac}/roles`,
      { metadata: { name: "more" }, rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }] },
      { user: jane },
    );
    expect([same.status, more.status]).toEqual([201, 403]);
    expect(more.body["message"]).toContain('{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}');
  });
});
