// kubernetes-fluent-client: create, apply, get, patch, watch, delete.
import assert from "node:assert/strict";

import { K8s, kind } from "kubernetes-fluent-client";

const namespace = "fluent-client";
const limit = setTimeout(() => {
  console.error("fluent-client: not done in 60 s");
  process.exit(1);
}, 60_000);
async function until(holds) {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}

await K8s(kind.Namespace).Apply({ metadata: { name: namespace } });

const seen = [];
const watcher = K8s(kind.ConfigMap)
  .InNamespace(namespace)
  .Watch((object, phase) => {
    seen.push(`${phase} ${object.metadata.name} ${object.data?.a ?? ""}`);
  });
await watcher.start();

const made = await K8s(kind.ConfigMap).Create({ metadata: { name: "one", namespace }, data: { a: "1" } });
assert.equal(made.data.a, "1");
await assert.rejects(K8s(kind.ConfigMap).Create({ metadata: { name: "one", namespace } }), { status: 409 });

const applied = await K8s(kind.ConfigMap).Apply({ metadata: { name: "two", namespace }, data: { a: "1", b: "2" } });
assert.equal(applied.metadata.managedFields[0].operation, "Apply");
await K8s(kind.ConfigMap).Apply({ metadata: { name: "two", namespace }, data: { a: "3" } });
const two = await K8s(kind.ConfigMap).InNamespace(namespace).Get("two");
assert.deepEqual(two.data, { a: "3" });

await K8s(kind.ConfigMap, { namespace, name: "two" }).Patch([{ op: "add", path: "/data/c", value: "4" }]);
const { items } = await K8s(kind.ConfigMap).InNamespace(namespace).Get();
assert.deepEqual(
  items
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== "kube-root-ca.crt")
    .sort(),
  ["one", "two"],
);

await K8s(kind.ConfigMap).InNamespace(namespace).Delete("two");
await until(() => seen.some((event) => event.startsWith("DELETED two")));
assert.ok(seen.includes("ADDED one 1"));
assert.ok(seen.includes("MODIFIED two 3"));
watcher.close();

await K8s(kind.Namespace).Delete(namespace);
clearTimeout(limit);
console.log("fluent-client: create, apply, patch, watch and delete hold");
process.exit(0);
