// @kubernetes/client-node: create, apply, watch, informer, status, delete.
import assert from "node:assert/strict";

import {
  ApiException,
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  Watch,
} from "@kubernetes/client-node";

const namespace = "client-node";
const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const apps = config.makeApiClient(AppsV1Api);
const objects = KubernetesObjectApi.makeApiClient(config);

/** Waits until something holds; a program that waits for ever is ended by the time limit below. */
async function until(what, holds) {
  for (;;) {
    const value = await holds();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const limit = setTimeout(() => {
  console.error("client-node: not done in 60 s");
  process.exit(1);
}, 60_000);

// Create, and what a real server refuses.
await core.createNamespace({ body: { metadata: { name: namespace } } });
const made = await core.createNamespacedConfigMap({
  namespace,
  body: { metadata: { name: "one", labels: { app: "x" } }, data: { a: "1" } },
});
assert.ok(made.metadata.uid);
await assert.rejects(
  core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "one" } } }),
  (error) => error instanceof ApiException && error.code === 409 && JSON.parse(error.body).reason === "AlreadyExists",
);
await assert.rejects(
  core.readNamespacedConfigMap({ namespace, name: "nope" }),
  (error) => error.code === 404 && JSON.parse(error.body).message === 'configmaps "nope" not found',
);
await assert.rejects(
  core.createNamespacedService({ namespace, body: { metadata: { name: "bad" }, spec: { ports: [{ port: 0 }] } } }),
  (error) => error.code === 422,
);

// Replace is refused when the version is stale.
await core.replaceNamespacedConfigMap({ namespace, name: "one", body: { ...made, data: { a: "2" } } });
await assert.rejects(
  core.replaceNamespacedConfigMap({ namespace, name: "one", body: { ...made, data: { a: "3" } } }),
  (error) => error.code === 409 && JSON.parse(error.body).reason === "Conflict",
);

// Apply: two managers, a conflict, and force.
const applied = (value) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "applied", namespace },
  data: { a: value },
});
const apply = (body, manager, force) =>
  objects.patch(body, undefined, undefined, manager, force, PatchStrategy.ServerSideApply);
await apply(applied("1"), "first", false);
await assert.rejects(apply(applied("2"), "second", false), (error) => error.code === 409);
const forced = await apply(applied("2"), "second", true);
assert.equal(forced.data.a, "2");
assert.deepEqual(
  forced.metadata.managedFields.map(({ manager, operation }) => `${manager}/${operation}`),
  ["second/Apply"],
);

// A typed apply and strategic patch of a Deployment.
await apps.createNamespacedDeployment({
  namespace,
  body: {
    metadata: { name: "web" },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "c", image: "registry.example/c:1" }] },
      },
    },
  },
});
await until("a running pod", async () => {
  const { status } = await apps.readNamespacedDeployment({ namespace, name: "web" });
  return status?.availableReplicas === 1;
});
const scaled = await apps.readNamespacedDeploymentScale({ namespace, name: "web" });
await apps.replaceNamespacedDeploymentScale({ namespace, name: "web", body: { ...scaled, spec: { replicas: 2 } } });
const pods = await until("two pods", async () => {
  const list = await core.listNamespacedPod({ namespace, labelSelector: "app=web" });
  return list.items.length === 2 && list.items;
});
assert.ok(pods.every((pod) => pod.metadata.creationTimestamp instanceof Date));

// A watch from a version, and what it brings.
const { metadata } = await core.listNamespacedConfigMap({ namespace });
const seen = [];
const watch = new Watch(config);
const abort = await watch.watch(
  `/api/v1/namespaces/${namespace}/configmaps`,
  { resourceVersion: metadata.resourceVersion, allowWatchBookmarks: true },
  (type, object) => seen.push(`${type} ${object.metadata.name ?? ""}`),
  () => {},
);
await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "watched" } } });
await core.deleteNamespacedConfigMap({ namespace, name: "watched" });
await until("both events", () => seen.includes("DELETED watched"));
abort.abort();
assert.deepEqual(
  seen.filter((event) => !event.startsWith("BOOKMARK")),
  ["ADDED watched", "DELETED watched"],
);

// An informer keeps a store.
const informer = makeInformer(
  config,
  `/api/v1/namespaces/${namespace}/configmaps`,
  () => core.listNamespacedConfigMap({ namespace, labelSelector: "app=x" }),
  "app=x",
);
const events = [];
for (const event of ["add", "update", "delete"])
  informer.on(event, (object) => events.push(`${event} ${object.metadata.name}`));
await informer.start();
await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "two", labels: { app: "x" } } } });
await until("the second object", () => informer.get("two", namespace));
await core.deleteNamespacedConfigMap({ namespace, name: "two" });
await until("its end", () => informer.get("two", namespace) === undefined && events.includes("delete two"));
assert.deepEqual(events, ["add one", "add two", "delete two"]);
await informer.stop();

await core.deleteNamespace({ name: namespace });
await until("an empty end", async () => {
  const { items } = await core.listNamespace();
  return !items.some((one) => one.metadata.name === namespace);
});
clearTimeout(limit);
console.log("client-node: create, replace, apply, scale, watch and informer hold");
process.exit(0);
