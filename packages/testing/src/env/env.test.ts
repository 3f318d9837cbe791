import { isStatus } from "@fairlead/apimachinery";
import { VirtualClock } from "@fairlead/base";
import { kinds, owns } from "@fairlead/client";
import { DEFAULT_DELAYS } from "@fairlead/cluster-sim";
import { controllerReference, defineController, settled, type ControllerDefinition } from "@fairlead/runtime";
import { afterEach, describe, expect, it } from "vitest";

import { NotSettledError } from "../settle/settle.js";
import { testEnv, type TestEnv, type TestEnvOptions } from "./env.js";

const open: TestEnv[] = [];
afterEach(async () => {
  for (const env of open.splice(0)) await env.close();
});

async function start(options: TestEnvOptions): Promise<TestEnv> {
  const env = await testEnv(options);
  open.push(env);
  return env;
}

const labels = { app: "web" };
const web: Parameters<ReturnType<typeof deployments>["create"]>[0] = {
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "app", image: "a:1" }] } },
  },
};
const ref = { namespace: "default", name: "web" };
const deployments = (env: TestEnv) => env.client("user").api(kinds.Deployment, "default");

const note = owns(kinds.ConfigMap, "data", "metadata.ownerReferences");
/** Notes the replicas of a Deployment in a ConfigMap beside it. */
function notes(text: () => string = () => "same"): ControllerDefinition {
  return defineController({
    name: "notes",
    for: kinds.Deployment,
    owns: { note },
    async reconcile(object, ctx) {
      const ownerReferences = [controllerReference(kinds.Deployment, object)] as const;
      const data = { replicas: String(object.spec?.replicas ?? 1), text: text() };
      await ctx.apply(note, { name: object.metadata.name }, { metadata: { ownerReferences }, data });
      return settled();
    },
  });
}

describe("a test environment", () => {
  it("brings a Deployment to be available on virtual time", async () => {
    const env = await start({ cluster: { delays: DEFAULT_DELAYS } });
    const before = env.clock.now();
    await deployments(env).create(web);
    await env.settle();
    const { status } = await deployments(env).get("web");
    expect(status).toMatchObject({ replicas: 3, availableReplicas: 3 });
    expect(status?.conditions?.find(({ type }) => type === "Available")?.status).toBe("True");
    expect(env.clock.now() - before).toBeGreaterThan(DEFAULT_DELAYS.readyMs);
    const pods = await env.client().api(kinds.Pod, "default").list();
    expect(pods.items.map(({ status: pod }) => pod?.phase)).toEqual(["Running", "Running", "Running"]);
  });

  it("ends a namespace with all that is in it", async () => {
    const env = await start({ cluster: {} });
    const namespaces = env.client("user").api(kinds.Namespace);
    await namespaces.create({ metadata: { name: "work" } });
    await env
      .client("user")
      .api(kinds.Deployment, "work")
      .create({ ...web, metadata: { name: "web" } });
    await env.settle();
    await namespaces.delete("work", { preconditions: "none" });
    await env.settle();
    expect(await namespaces.find("work")).toBeUndefined();
    expect((await env.client().api(kinds.Pod).list()).items).toEqual([]);
  });

  it("is the same on every run of a seed", async () => {
    const run = async (seed: number): Promise<unknown> => {
      const env = await start({ seed, cluster: {}, controllers: [notes()] });
      await deployments(env).create(web);
      await env.settle();
      return [(await env.client().api(kinds.Pod, "default").list()).items, env.writes, env.clock.now()];
    };
    const first = await run(7);
    expect(await run(7)).toEqual(first);
    expect(await run(8)).not.toEqual(first);
  });

  it("tells who owns which fields", async () => {
    const env = await start({ controllers: [notes()] });
    await deployments(env).create(web);
    await env.settle();
    const owner = (await deployments(env).get("web")).metadata.uid;
    expect(await env.owners(kinds.ConfigMap, ref)).toEqual({
      "fairlead/notes": [".data.replicas", ".data.text", `.metadata.ownerReferences[uid="${owner}"]`],
    });
    expect(Object.keys(await env.owners(kinds.Deployment, ref))).toEqual(["user"]);
  });

  it("finds nothing written on the second pass of a controller that is done, and what one writes that never is", async () => {
    const done = await start({ controllers: [notes()] });
    await deployments(done).create(web);
    expect(await done.writesOnSecondPass()).toEqual([]);
    let n = 0;
    const restless = await start({ controllers: [notes(() => String(n++))] });
    await deployments(restless).create(web);
    await expect(restless.settle({ quietMs: 1_000, limitMs: 1_000 })).rejects.toThrow(NotSettledError);
  });

  it("writes again on the second pass what depends on more than the objects", async () => {
    let n = 0;
    const env = await start({ controllers: [notes(() => String(Math.min(++n, 2)))] });
    await deployments(env).create(web);
    await env.settle();
    n = 100;
    expect(await env.writesOnSecondPass()).toEqual([]);
    n = 0;
    expect(await env.writesOnSecondPass()).toContain(
      "PATCH /api/v1/namespaces/default/configmaps/web (fairlead/notes)",
    );
  });

  it("lets a client be anybody, with that one's rights", async () => {
    const env = await start({});
    const nobody = env.client("nobody", { username: "nobody", groups: [] });
    await expect(nobody.api(kinds.Pod, "default").list()).rejects.toSatisfy((e) => isStatus(e, "Forbidden"));
  });

  it("starts with the objects it is given, kinds of its own included", async () => {
    const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
    const names = { plural: "sites", kind: "Site" };
    const env = await start({
      objects: [
        {
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata: { name: "sites.lab.dev" },
          spec: { group: "lab.dev", scope: "Namespaced", names, versions },
        } as never,
        { apiVersion: "lab.dev/v1", kind: "Site", metadata: { name: "a", namespace: "default" } },
      ],
    });
    const kind = await env.client().discovery.get({ group: "lab.dev", version: "v1", kind: "Site" });
    expect((await env.client().api(kind, "default").list()).items.map((one) => one.metadata.name)).toEqual(["a"]);
  });

  it("also runs on the system's clock, and leaves nothing behind that keeps the process", async () => {
    const before = process.getActiveResourcesInfo().filter((name) => name !== "Immediate");
    const env = await testEnv({ clock: "system", cluster: {}, controllers: [notes()] });
    expect(env.clock).not.toBeInstanceOf(VirtualClock);
    await deployments(env).create(web);
    await env.settle();
    expect((await deployments(env).get("web")).status?.availableReplicas).toBe(3);
    await env.close();
    const after = process.getActiveResourcesInfo().filter((name) => name !== "Immediate");
    expect(after.length).toBeLessThanOrEqual(before.length);
  });
});
