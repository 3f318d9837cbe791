import { kinds, setLabels } from "fairlead";
import { DEFAULT_DELAYS, testEnv } from "fairlead/testing";
import { describe, expect, it } from "vitest";

import { Website, websiteDefinition } from "./api.js";
import { readyCondition, websiteController } from "./controller.js";

const site: Website = { metadata: { name: "blog", namespace: "default" }, spec: { image: "blog:1", replicas: 2 } };
const setup = { objects: [websiteDefinition], controllers: [websiteController] };

describe("a website", () => {
  it.each([
    [0, "False", "PodsNotReady"],
    [2, "True", "AllReady"],
    [3, "True", "AllReady"],
  ])("with %i of 2 pods ready is ready: %s", (ready, status, reason) => {
    expect(readyCondition(site, ready)).toMatchObject({ status, reason });
  });

  it("becomes ready, and then nothing is written any more", async () => {
    await using env = await testEnv({ ...setup, cluster: { delays: DEFAULT_DELAYS } });
    await env.client("you").api(Website, "default").create(site);
    await env.settle();
    const { status } = await env.client().api(Website, "default").get("blog");
    expect(status).toMatchObject({ ready: 2, conditions: [{ type: "Ready", status: "True" }] });
    expect(await env.writesOnSecondPass()).toEqual([]);
  });

  it("leaves alone what others add to its Deployment", async () => {
    await using env = await testEnv({ ...setup, cluster: {} });
    await env.client("you").api(Website, "default").create(site);
    await env.settle();
    const deployments = env.client("somebody").api(kinds.Deployment, "default");
    await setLabels(deployments, "blog", { team: "red" });
    await env.settle();
    expect((await deployments.get("blog")).metadata.labels).toEqual({ team: "red" });
    const owners = await env.owners(kinds.Deployment, { namespace: "default", name: "blog" });
    expect(owners["somebody"]).toEqual([".metadata.labels.team"]);
    expect(owners["fairlead/website"]).toContain('.spec.template.spec.containers[name="web"].image');
  });
});
