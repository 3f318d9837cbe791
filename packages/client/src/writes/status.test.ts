import { seededRandom, VirtualClock } from "@fairlead/base";
import { describe, expect, it } from "vitest";
import { Client, kinds, mergeStatus, mergeStatusBody, resourceKind } from "../index.js";
import { jsonResponse, requestBody, scriptedTransport, statusResponse, type Answer } from "../testing.js";

const Claim = resourceKind({
  group: "tatara.pleme.io",
  version: "v1alpha1",
  kind: "Claim",
  resource: "claims",
  namespaced: true,
});

function clientOf(...answers: readonly Answer[]): {
  readonly client: Client;
  readonly script: ReturnType<typeof scriptedTransport>;
} {
  const script = scriptedTransport(...answers);
  return {
    script,
    client: new Client({ transport: script.transport, clock: new VirtualClock(), random: seededRandom(1) }),
  };
}

const stored = {
  apiVersion: "tatara.pleme.io/v1alpha1",
  kind: "Claim",
  metadata: { name: "a", namespace: "ns", resourceVersion: "7" },
  status: { phase: "Running" },
};

// The ten pinned tests of the write-posture substrate are T1 to T6 here and T7 to T10 in apply-params.test.ts.
describe("mergeStatusBody", () => {
  it("T1 wraps a typed status under the top-level status slot", () => {
    expect(mergeStatusBody({ phase: "Bound", reason: "member allocated" })).toEqual({
      status: { phase: "Bound", reason: "member allocated" },
    });
  });

  it("T2 has exactly one top-level key, status in lower case", () => {
    expect(Object.keys(mergeStatusBody({ phase: "Running" }))).toEqual(["status"]);
  });

  it("T3 takes a ready JSON value verbatim", () => {
    const status = { phase: "Attested", phaseSince: "2026-05-01T00:00:00Z" };
    expect(mergeStatusBody(status).status).toBe(status);
  });

  it("T4 wraps a scalar status without promoting it to an object", () => {
    expect(mergeStatusBody("Attested")).toEqual({ status: "Attested" });
  });

  it("T5 preserves a composed status byte for byte", () => {
    const base = { phase: "Queued", phase_since: "2026-05-01T00:00:00Z", extra: null };
    const composed = JSON.stringify(mergeStatusBody({ ...base, extra: "pool matched" }));
    expect(composed).toBe(
      JSON.stringify(mergeStatusBody({ phase: "Queued", phase_since: "2026-05-01T00:00:00Z", extra: "pool matched" })),
    );
  });

  it("is frozen", () => {
    expect(Object.isFrozen(mergeStatusBody({}))).toBe(true);
  });

  it.each<[sentence: string, status: unknown, error: string]>([
    ["refuses undefined", undefined, "undefined would send an empty body"],
    ["refuses null", null, "removes the whole status"],
    ["refuses NaN, which would delete the field", { count: Number.NaN }, "status.count is NaN"],
    ["refuses infinity", { count: -Infinity }, "status.count is -Infinity"],
    ["refuses a Map, which would be empty", { labels: new Map([["a", "b"]]) }, "status.labels is a Map"],
    ["refuses a Set", { labels: new Set() }, "status.labels is a Set"],
    ["refuses undefined in a list, which would be null", { list: ["a", undefined] }, "status.list[1] is undefined"],
    ["refuses a class that prints itself", { at: new URL("http://a") }, "status.at is a URL"],
    ["refuses a function", { at: () => 1 }, "status.at is a function"],
  ])("%s", (_sentence, status, error) => {
    expect(() => mergeStatusBody(status)).toThrow(error);
  });

  it("throws TypeError for undefined", () => {
    expect(() => mergeStatusBody(undefined)).toThrow(TypeError);
  });

  it("lets undefined members, dates and allowed removals pass", () => {
    expect(mergeStatusBody({ message: undefined }).status).toEqual({});
    expect(JSON.stringify(mergeStatusBody({ at: new Date(0) }))).toBe('{"status":{"at":"1970-01-01T00:00:00.000Z"}}');
    expect(mergeStatusBody(null, { allowStatusRemoval: true })).toEqual({ status: null });
  });
});

describe("mergeStatus", () => {
  it("T6 sends the body that mergeStatusBody makes", async () => {
    const { client, script } = clientOf(jsonResponse(stored));
    await mergeStatus(client.api(Claim, "ns"), "a", { phase: "Running" });
    expect(script.requests[0]?.body).toBe(JSON.stringify(mergeStatusBody({ phase: "Running" })));
    expect(await requestBody(script.requests[0] as never)).toEqual({ status: { phase: "Running" } });
  });

  it("is a merge patch of /status without a query, and returns the whole object", async () => {
    const { client, script } = clientOf(jsonResponse(stored));
    expect(await mergeStatus(client.api(Claim, "ns"), "a", { phase: "Running" })).toEqual(stored);
    expect(script.requests[0]).toMatchObject({
      method: "PATCH",
      path: "/apis/tatara.pleme.io/v1alpha1/namespaces/ns/claims/a/status",
      headers: { "content-type": "application/merge-patch+json", accept: "application/json" },
    });
  });

  it("is attributed to the client's field manager, or to the one given", async () => {
    const { client, script } = clientOf(jsonResponse(stored), jsonResponse(stored));
    await mergeStatus(client.as("pool/1").api(Claim, "ns"), "a", {});
    await mergeStatus(client.api(Claim, "ns"), "a", {}, { fieldManager: "other", dryRun: true });
    expect(script.requests.map((request) => request.path.split("?")[1])).toEqual([
      "fieldManager=pool%2F1",
      "dryRun=All&fieldManager=other",
    ]);
  });

  it("puts a precondition beside the status, and passes on the conflict", async () => {
    const { client, script } = clientOf(statusResponse(409, "Conflict", "the object has been modified"));
    const write = mergeStatus(
      client.api(Claim, "ns"),
      "a",
      { phase: "Running" },
      { precondition: { resourceVersion: "6" } },
    );
    await expect(write).rejects.toMatchObject({ reason: "Conflict" });
    expect(await requestBody(script.requests[0] as never)).toEqual({
      metadata: { resourceVersion: "6" },
      status: { phase: "Running" },
    });
  });

  it("merges lists by key only for built-in kinds", async () => {
    const { client, script } = clientOf(jsonResponse({ ...stored, kind: "Pod" }));
    await mergeStatus(client.api(kinds.Pod, "ns"), "a", { conditions: [] }, { strategy: "strategic" });
    expect(script.requests[0]?.headers["content-type"]).toBe("application/strategic-merge-patch+json");
    expect(() => mergeStatus(client.api(Claim, "ns"), "a", {}, { strategy: "strategic" })).toThrow("custom kind");
  });

  it("sends nothing until it is awaited, and then once", async () => {
    const { client, script } = clientOf(jsonResponse(stored));
    const write = mergeStatus(client.api(Claim, "ns"), "a", {});
    expect(write.started).toBe(false);
    await Promise.resolve();
    expect(script.requests).toHaveLength(0);
    await Promise.all([write, write]);
    expect(script.requests).toHaveLength(1);
  });

  it("needs a name and, for a namespaced kind, a namespace", async () => {
    const { client } = clientOf();
    await expect(mergeStatus(client.api(Claim, "ns"), "", {})).rejects.toThrow("A non-empty name is required");
    await expect(mergeStatus(client.api(Claim), "a", {})).rejects.toThrow("is namespaced");
  });
});
