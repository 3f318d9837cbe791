import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { systemClock } from "@fairlead/base/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { findPrograms } from "./programs.js";
import { helmRenderer } from "./helm.js";
import { NAMESPACE_PLACEHOLDER, type Recording } from "./recorded.js";
import type { Rendering } from "./renderer.js";

const data = new URL("../../../../packages/conformance/data/", import.meta.url);
const sample = new URL("../../../../apps/cli/charts/sample-inference", import.meta.url);
const recordings = JSON.parse(readFileSync(new URL("rendered/sample-inference.json", data), "utf8")) as Recording[];
const signal = new AbortController().signal;
const none = () => Promise.reject(new Error("nothing is fetched here"));

// These run the real helm, which `.ci/run` provides; everything else is tested with what it once printed.
describe.runIf(process.env["FAIRLEAD_HELM"] === "1")("the real helm", () => {
  let program = "";
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fairlead-test-"));
    const cacheDirectory = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "fairlead");
    program = (await findPrograms({ env: process.env, cacheDirectory, onProgress: () => undefined, signal })).helm;
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const render = (url: string, values: object = {}): Promise<Rendering> =>
    helmRenderer({ program, clock: systemClock, fetch: none, allowLocal: true, includeDefinitions: true }).render(
      {
        url,
        values: values as never,
        namespace: "sr-recorded",
        kubeVersion: "1.36.2",
        apiVersions: ["apps/v1", "v1"],
        auth: [],
      },
      signal,
    );

  it("renders the sample chart to what is recorded", async () => {
    for (const { values, objects } of recordings) {
      const rendered = await render(sample.href, values);
      expect(
        rendered.kind === "rendered"
          ? JSON.parse(JSON.stringify(rendered.objects).replaceAll("sr-recorded", NAMESPACE_PLACEHOLDER))
          : rendered,
      ).toEqual(objects);
    }
  });

  it.each(["podinfo-6.14.1.tgz", "nginx-22.1.1.tgz", "vllm-stack-0.1.12.tgz"])("renders %s", async (name) => {
    const rendered = await render(new URL(`charts/${name}`, data).href);
    expect(rendered.kind).toBe("rendered");
    expect(rendered.kind === "rendered" ? rendered.objects.length : 0).toBeGreaterThan(1);
  });

  it("tells why a chart does not render, without our paths", async () => {
    const rendered = await render(sample.href, { decode: "not a map" });
    expect(rendered.kind).toBe("invalid");
    expect(rendered.kind === "invalid" ? rendered.errors[0] : "").toMatch(/^run helm template: /);
    expect(JSON.stringify(rendered)).not.toContain("fairlead-render-");
  });

  it("is stopped when it takes too long", async () => {
    const slow = helmRenderer({
      program,
      clock: systemClock,
      fetch: none,
      allowLocal: true,
      includeDefinitions: false,
      timeoutMs: 1,
    });
    await expect(
      slow.render(
        { url: sample.href, values: {}, namespace: "n", kubeVersion: "1.36.2", apiVersions: [], auth: [] },
        signal,
      ),
    ).rejects.toThrow(/took longer than 1 ms/);
  });

  it("says that a chart is missing", async () => {
    expect(await render(new URL("none", `file://${fileURLToPath(data)}`).href)).toMatchObject({
      kind: "invalid",
      errors: [expect.stringContaining("does not exist") as string],
    });
  });
});
