import { kinds, type NewObject } from "@fairlead/client";
import type { VirtualClock } from "@fairlead/base";
import { testEnv, type TestEnv } from "@fairlead/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ANNOTATIONS } from "../options.js";

let env: TestEnv;
beforeEach(async () => {
  env = await testEnv({ cluster: { delays: { startMs: 100, initMs: 100, readyMs: 100, runMs: 100, stopMs: 100 } } });
});
afterEach(() => env.close());

const pods = () => env.client("user").api(kinds.Pod, "default");
const advance = (ms: number) => (env.clock as VirtualClock).advance(ms);
const pod = (spec: object = {}, annotations: Readonly<Record<string, string>> = {}) =>
  ({
    metadata: { name: "p", annotations },
    spec: { containers: [{ name: "c", image: "a" }], ...spec },
  }) as NewObject<kinds.Pod>;

async function phases(ms: number): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let i = 0; i < ms; i += 10) {
    const found = await pods().find("p");
    const ready = found?.status?.conditions?.find((c) => c.type === "Ready")?.status === "True";
    const state =
      found === undefined
        ? "gone"
        : `${found.metadata.deletionTimestamp === undefined ? "" : "terminating "}${found.status?.phase ?? ""}${ready ? " ready" : ""}`;
    if (seen.at(-1) !== state) seen.push(state);
    await advance(10);
  }
  return seen;
}

describe("a simulated pod", () => {
  it("goes from Pending to Running to ready, and gets addresses", async () => {
    await pods().create(pod());
    expect(await phases(600)).toEqual(["Pending", "Running", "Running ready"]);
    const { status } = await pods().get("p");
    expect(status?.podIP).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(status?.containerStatuses?.[0]).toMatchObject({ name: "c", ready: true, started: true, restartCount: 0 });
  });

  it("runs its init containers first, one after the other", async () => {
    await pods().create(
      pod({
        initContainers: [
          { name: "i1", image: "a" },
          { name: "i2", image: "a" },
        ],
      }),
    );
    const seen: string[] = [];
    for (let i = 0; i < 60; i++) {
      await advance(10);
      const { status } = await pods().get("p");
      const state = `${(status?.initContainerStatuses ?? []).map((c) => Object.keys(c.state ?? {})[0]).join(" ")}: ${status?.phase ?? ""}`;
      if (seen.at(-1) !== state) seen.push(state);
    }
    expect(seen.filter((state) => state !== ": Pending")).toEqual([
      "waiting waiting: Pending",
      "running waiting: Pending",
      "terminated running: Pending",
      "terminated terminated: Running",
    ]);
  });

  it("ends as its annotations say", async () => {
    await pods().create(pod({ restartPolicy: "Never" }, { [ANNOTATIONS.runMs]: "50", [ANNOTATIONS.exitCode]: "3" }));
    await env.settle();
    const { status } = await pods().get("p");
    expect(status?.phase).toBe("Failed");
    expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
  });

  it("waits for an image that cannot be pulled, and says so", async () => {
    await pods().create(pod({}, { [ANNOTATIONS.imagePullFails]: "true" }));
    await env.settle();
    const { status } = await pods().get("p");
    expect(status?.phase).toBe("Pending");
    expect(status?.containerStatuses?.[0]?.state?.waiting?.reason).toMatch(/^(ErrImagePull|ImagePullBackOff)$/);
  });

  it("stays in ContainerCreating without its Secret, with the Event of a kubelet, and starts when the Secret comes", async () => {
    await pods().create(pod({ volumes: [{ name: "v", secret: { secretName: "keys" } }] }));
    await advance(2_000);
    const { status } = await pods().get("p");
    expect(status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe("ContainerCreating");
    const events = (await env.client("user").api(kinds.Event, "default").list()).items;
    expect(
      events.some((e) => e.reason === "FailedMount" && (e.message ?? "").includes('secret "keys" not found')),
    ).toBe(true);
    await env
      .client("user")
      .api(kinds.Secret, "default")
      .create({ metadata: { name: "keys" } });
    await env.settle({ quietMs: 60_000 });
    expect((await pods().get("p")).status?.phase).toBe("Running");
  });

  it("may depend on a Service for its readiness, and follows it", async () => {
    const labels = { app: "web" };
    await pods().create(pod({}, { [ANNOTATIONS.readyWithService]: "web" }));
    await env
      .client("user")
      .api(kinds.Service, "default")
      .create({ metadata: { name: "web" }, spec: { selector: labels, ports: [{ port: 80 }] } });
    await env.settle();
    const ready = async () => (await pods().get("p")).status?.conditions?.find((c) => c.type === "Ready")?.status;
    expect(await ready()).toBe("False");
    await pods().create({ metadata: { name: "backend", labels }, spec: { containers: [{ name: "c", image: "a" }] } });
    await env.settle();
    expect(await ready()).toBe("True");
    await pods().delete("backend", { preconditions: "none" });
    await env.settle();
    expect(await ready()).toBe("False");
  });

  it("stops within its grace period when it is deleted", async () => {
    await pods().create(pod());
    await env.settle();
    await pods().delete("p", { preconditions: "none" });
    expect(await phases(300)).toEqual(["terminating Running ready", "gone"]);
  });

  it("goes at once with a grace period of zero", async () => {
    await pods().create(pod());
    await env.settle();
    await pods().delete("p", { preconditions: "none", gracePeriodSeconds: 0 });
    expect(await pods().find("p")).toBeUndefined();
  });
});
