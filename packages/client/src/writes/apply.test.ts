import { seededRandom, VirtualClock } from "@fairlead/base";
import { describe, expect, it } from "vitest";
import {
  applyOwned,
  apply,
  applyPatchParams,
  Client,
  kinds,
  ownedPaths,
  owns,
  resourceKind,
  withoutField,
  ApplyConflictError,
  type ApplyOwnedOptions,
} from "../index.js";
import { jsonResponse, requestBody, scriptedTransport, statusResponse, type Answer } from "../testing.js";

const MiniService = resourceKind({
  group: "nvca.nvcf.nvidia.io",
  version: "v1alpha1",
  kind: "MiniService",
  resource: "miniservices",
  namespaced: false,
});
const config = owns(MiniService, "spec.workloadConfig");
const web = owns(
  kinds.Deployment,
  "spec.replicas",
  "spec.paused",
  "spec.template.spec.containers[].image",
  "metadata.labels",
);
const ref = { namespace: "default", name: "web" };

async function run(
  answers: readonly Answer[],
  send: (client: Client) => PromiseLike<unknown>,
): Promise<{
  readonly result: unknown;
  readonly error: unknown;
  readonly sent: readonly { readonly path: string; readonly type: unknown; readonly body: unknown }[];
}> {
  const script = scriptedTransport(...answers);
  const client = new Client({
    transport: script.transport,
    clock: new VirtualClock(),
    random: seededRandom(1),
    fieldManager: "miniservice-controller",
  });
  let [result, error]: [unknown, unknown] = [undefined, undefined];
  try {
    result = await send(client);
  } catch (thrown) {
    error = thrown;
  }
  const sent = await Promise.all(
    script.requests.map(async (request) => ({
      path: request.path,
      type: request.headers["content-type"],
      body: await requestBody(request),
    })),
  );
  return { result, error, sent };
}

function service(workloadConfig: unknown, resourceVersion = "10"): unknown {
  const spec = { namespace: "ns", ...(workloadConfig === undefined ? {} : { workloadConfig }) };
  return {
    apiVersion: "nvca.nvcf.nvidia.io/v1alpha1",
    kind: "MiniService",
    metadata: { name: "ms", resourceVersion },
    spec,
  };
}

function conflict(...fields: readonly (readonly [field: string, manager: string])[]): Answer {
  const causes = fields.map(([field, manager]) => ({
    reason: "FieldManagerConflict",
    field,
    message: `conflict with ${JSON.stringify(manager)} with subresource "scale" using apps/v1`,
  }));
  return statusResponse(409, "Conflict", "Apply failed with conflicts", { causes });
}

const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { ...ref, resourceVersion: "3" } };
const body = {
  metadata: { labels: { "app.kubernetes.io/name": "web", app: "web" } },
  spec: { replicas: 2, template: { spec: { containers: [{ name: "app", image: "a:1" }] } } },
};
const applyWeb = (options: ApplyOwnedOptions) => (client: Client) =>
  applyOwned(client, ownedPaths(web, ref, body), options);

describe("applyOwned", () => {
  it("sends the targeted payload, forced, and nothing else", async () => {
    const { sent } = await run([jsonResponse(service({ featureFlags: { StatusByWorkerReadiness: true } }))], (client) =>
      applyOwned(
        client,
        ownedPaths(
          config,
          { name: "ms" },
          { spec: { workloadConfig: { featureFlags: { StatusByWorkerReadiness: true } } } },
        ),
        { onConflict: "take" },
      ),
    );
    expect(sent).toEqual([
      {
        path: "/apis/nvca.nvcf.nvidia.io/v1alpha1/miniservices/ms?force=true&fieldManager=miniservice-controller",
        type: "application/apply-patch+yaml",
        body: {
          apiVersion: "nvca.nvcf.nvidia.io/v1alpha1",
          kind: "MiniService",
          metadata: { name: "ms" },
          spec: { workloadConfig: { featureFlags: { StatusByWorkerReadiness: true } } },
        },
      },
    ]);
  });

  it("clears with an explicit null, and sends nothing more when the key is gone", async () => {
    const { sent, result } = await run([jsonResponse(service(undefined))], (client) =>
      applyOwned(client, ownedPaths(config, { name: "ms" }, {}, { clear: ["spec.workloadConfig"] }), {
        onConflict: "take",
      }),
    );
    expect(sent.map((request) => request.body)).toMatchObject([{ spec: { workloadConfig: null } }]);
    expect(result).toMatchObject({ forceCleared: [] });
  });

  it.each<[sentence: string, left: unknown]>([
    ["an empty object", {}],
    ["null", null],
    ["another manager's value", { featureFlags: { a: true } }],
  ])("removes %s that a clearing apply left, by one merge patch bound to its version", async (_sentence, left) => {
    const { sent, result } = await run(
      [jsonResponse(service(left, "11")), jsonResponse(service(undefined, "12"))],
      (client) =>
        applyOwned(client, ownedPaths(config, { name: "ms" }, {}, { clear: ["spec.workloadConfig"] }), {
          onConflict: "take",
        }),
    );
    expect(sent[1]).toEqual({
      path: "/apis/nvca.nvcf.nvidia.io/v1alpha1/miniservices/ms?fieldManager=miniservice-controller",
      type: "application/merge-patch+json",
      body: { metadata: { resourceVersion: "11" }, spec: { workloadConfig: null } },
    });
    expect(result).toMatchObject({
      forceCleared: ["spec.workloadConfig"],
      object: { metadata: { resourceVersion: "12" } },
    });
  });

  it("reports conflicts by field and manager, and what can be done", async () => {
    const { sent, error } = await run([conflict([".spec.replicas", "hpa"])], applyWeb({}));
    expect(sent).toHaveLength(1);
    expect(sent[0]?.path).not.toContain("force");
    expect(error).toBeInstanceOf(ApplyConflictError);
    expect(error).toMatchObject({ code: "ApplyConflict", conflicts: [{ field: ".spec.replicas", manager: "hpa" }] });
    expect((error as Error).message).toContain(
      'Deployment default/web was not applied by "miniservice-controller": .spec.replicas is owned by "hpa". Take such fields',
    );
  });

  it("yields: applies the rest, and says what was left", async () => {
    const { sent, result } = await run(
      [
        conflict(
          [".spec.replicas", "hpa"],
          ['.spec.template.spec.containers[name="app"].image', "ci"],
          [".metadata.labels.app.kubernetes.io/name", "helm"],
        ),
        jsonResponse(deployment),
      ],
      applyWeb({ onConflict: "yield" }),
    );
    expect(sent[1]?.body).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { ...ref, labels: { app: "web" } },
      spec: { template: { spec: { containers: [{ name: "app" }] } } },
    });
    expect(result).toMatchObject({ yielded: [{ manager: "helm" }, { manager: "hpa" }, { manager: "ci" }] });
  });

  it("does not yield for ever", async () => {
    const { sent, error } = await run([conflict([".spec.other", "x"])], applyWeb({ onConflict: "yield" }));
    expect(sent).toHaveLength(1);
    expect(error).toBeInstanceOf(ApplyConflictError);
  });

  it("passes on a conflict of versions as it is", async () => {
    const { error } = await run(
      [statusResponse(409, "Conflict", "the object has been modified")],
      applyWeb({ precondition: { resourceVersion: "1" } }),
    );
    expect(error).toMatchObject({ name: "StatusError", reason: "Conflict" });
  });

  it("needs a field manager", () => {
    const client = new Client({
      transport: scriptedTransport().transport,
      clock: new VirtualClock(),
      random: seededRandom(1),
    });
    expect(() => applyOwned(client, ownedPaths(web, ref, body))).toThrow("needs a field manager");
  });
});

describe("apply", () => {
  it("sends its params, its options, and a version only when one is asked for", async () => {
    const owned = ownedPaths(web, ref, { spec: { replicas: 1 } });
    const { sent } = await run([jsonResponse(deployment)], (client) =>
      apply(client.api(kinds.Deployment), owned, applyPatchParams("m"), {
        dryRun: true,
        fieldValidation: "Strict",
        precondition: { resourceVersion: "5" },
      }),
    );
    expect(sent[0]?.path).toBe(
      "/apis/apps/v1/namespaces/default/deployments/web?dryRun=All&force=true&fieldManager=m&fieldValidation=Strict",
    );
    expect(sent[0]?.body).toMatchObject({ metadata: { resourceVersion: "5" } });
  });
});

describe("withoutField", () => {
  it.each<[path: string, body: object, left: object]>([
    [".a", { a: 1, b: 2 }, { b: 2 }],
    [".a.b", { a: { b: 1 } }, {}],
    [".a.b.c/d", { a: { "b.c/d": 1, b: { c: 2 } } }, { a: { b: { c: 2 } } }],
    [
      '.l[k="x"].v',
      {
        l: [
          { k: "y", v: 1 },
          { k: "x", v: 2 },
        ],
      },
      { l: [{ k: "y", v: 1 }, { k: "x" }] },
    ],
    ['.p[port=80,protocol="TCP"].t', { p: [{ port: 80, t: 1, n: 1 }] }, { p: [{ port: 80, n: 1 }] }],
    ['.s[="a"]', { s: ["a", "b"] }, { s: ["b"] }],
    [".s[0]", { s: ["a"] }, {}],
    [".nope", { a: 1 }, { a: 1 }],
    ["", { a: 1 }, {}],
  ])("removes %s", (path, before, left) => {
    expect(withoutField(before as never, path)).toEqual(left);
  });
});
