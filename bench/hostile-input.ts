import { startApiServer, type ApiServer } from "@fairlead/apiserver";
import { never, seededRandom, silentLogger } from "@fairlead/base";
import { systemClock } from "@fairlead/base/node";

import { rounded, type Bench } from "./figure.js";

const BYTES = 3 * 1024 * 1024;
const MAPS = "/api/v1/namespaces/default/configmaps";
const JSON_TYPE = "application/json";
const YAML_TYPE = "application/yaml";
const APPLY = "application/apply-patch+yaml";

/**
 * How long the event loop stands still at most while bodies of 3 MiB come in that were made to be slow, on a server that
 * has served ordinary ones before.
 */
export const hostileInput: Bench = {
  name: "hostile-input",
  async measure() {
    const server = await startApiServer({ clock: systemClock, random: seededRandom(1), logger: silentLogger });
    const longest = new Map<string, number>();
    try {
      for (let i = 0; i < 20; i++) {
        for (const contentType of [JSON_TYPE, YAML_TYPE, APPLY]) {
          const path = contentType === APPLY ? `${MAPS}/ordinary?fieldManager=bench` : MAPS;
          const body = contentType === JSON_TYPE ? JSON.stringify(ordinary()) : ordinaryYaml();
          await standstill(server, { path, contentType, body });
        }
      }
      for (const [name, contentType, body] of bodies()) {
        const path = contentType === APPLY ? `${MAPS}/x?fieldManager=bench` : MAPS;
        longest.set(name, await standstill(server, { path, contentType, body }));
      }
      await standstill(server, { path: DEFINITIONS, contentType: JSON_TYPE, body: JSON.stringify(LISTS) });
      const apply = (object: string, manager: string, spec: object): Promise<number> => {
        const path = `${LISTS_PATH}/${object}?fieldManager=${manager}`;
        const body = JSON.stringify({ apiVersion: "bench.dev/v1", kind: "Lists", metadata: { name: object }, spec });
        return standstill(server, { path, contentType: APPLY, body });
      };
      for (let i = 0; i < 20; i++)
        for (const [, manager, spec] of appliedLists(100)) await apply(`ordinary-${i % 3}`, manager, spec);
      for (const [name, manager, spec] of appliedLists(1)) longest.set(name, await apply("x", manager, spec));
    } finally {
      await server.close();
    }
    const detail = Object.fromEntries([...longest].map(([name, ms]) => [name, rounded(ms)]));
    return {
      name: "hostile-input",
      value: Math.max(...longest.values()),
      unit: "ms",
      goal: 100,
      better: "lower",
      detail,
    };
  },
};

/** Milliseconds between two turns of the event loop at most while a request is answered. */
async function standstill(
  server: ApiServer,
  { path, contentType, body }: { readonly path: string; readonly contentType: string; readonly body: string },
): Promise<number> {
  let longest = 0;
  let done = false;
  let last = systemClock.monotonic();
  const watch = async (): Promise<void> => {
    while (!done) {
      await systemClock.turn();
      const now = systemClock.monotonic();
      longest = Math.max(longest, now - last);
      last = now;
    }
  };
  const watching = watch();
  await systemClock.turn();
  const method = contentType === APPLY ? "PATCH" : "POST";
  await server.transport()({ method, path, headers: { "content-type": contentType }, body }, never);
  await systemClock.turn();
  done = true;
  await watching;
  return longest;
}

/** A kind whose items all have owners. */
const LISTS = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "lists.bench.dev" },
  spec: {
    group: "bench.dev",
    scope: "Namespaced",
    names: { plural: "lists", kind: "Lists" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: listsSchema() } }],
  },
};
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const LISTS_PATH = "/apis/bench.dev/v1/namespaces/default/lists";

function listsSchema(): object {
  const text = { type: "string" };
  const item = { type: "object", required: ["name"], properties: { name: text, value: text } };
  const properties = {
    set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    keyed: { type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
  };
  return { type: "object", properties: { spec: { type: "object", properties } } };
}

/** Lists as long as they may be, or a fraction of that. */
function* appliedLists(divisor: number): Generator<readonly [name: string, manager: string, spec: object]> {
  const set = Array.from({ length: 40_000 / divisor }, (_, i) => `item-${i}`);
  const keyed = (value: string): object[] =>
    Array.from({ length: 9_000 / divisor }, (_, i) => ({ name: `item-${i}`, value }));
  yield ["set", "one", { set }];
  yield ["set, again", "one", { set }];
  yield ["set of two managers", "two", { set: set.slice(0, set.length / 2) }];
  yield ["set, given up", "one", { set: [] }];
  yield ["keyed list", "one", { keyed: keyed("a") }];
  yield ["keyed list of two managers", "two", { keyed: keyed("a") }];
  yield ["conflicts", "three", { keyed: keyed("b") }];
}

function* bodies(): Generator<readonly [name: string, contentType: string, body: string]> {
  const head = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":`;
  const json = (filling: string): string => `${head}${filling}}`;
  const room = BYTES - head.length - 8;
  const list = (item: (i: number) => string, most = Infinity): string => {
    const items: string[] = [];
    for (let i = 0, length = 0; i < most; i++) {
      const next = item(i);
      if ((length += next.length + 1) > room) break;
      items.push(next);
    }
    return items.join(",");
  };
  const keys = (most?: number): string => `{${list((i) => `"key-${i}":"v"`, most)}}`;
  yield ["keys", JSON_TYPE, json(keys())];
  yield ["keys, applied", APPLY, json(keys())];
  yield ["keys within bounds", JSON_TYPE, json(keys(9_900))];
  yield ["keys within bounds, applied", APPLY, json(keys(9_900))];
  yield ["values", JSON_TYPE, json(`[${list(() => "{}")}]`)];
  yield ["depth", JSON_TYPE, json("[".repeat(room / 2) + "]".repeat(room / 2))];
  yield ["depth, applied", APPLY, json("[".repeat(room / 2) + "]".repeat(room / 2))];
  yield ["repeated keys", JSON_TYPE, json(`{${list(() => `"k":"v"`)}}`)];
  yield ["escapes", JSON_TYPE, json(`"${"\\u00e9".repeat(room / 6)}"`)];
  yield ["digits", JSON_TYPE, json("9".repeat(room))];
  yield ["YAML keys", YAML_TYPE, lines((i) => `k${i}: v`)];
  yield ["YAML depth", YAML_TYPE, "- ".repeat(BYTES / 2)];
  yield ["YAML words", YAML_TYPE, `a: ${"b ".repeat(BYTES / 2 - 2)}`];
  yield ["YAML comments", YAML_TYPE, "#\n".repeat(BYTES / 2)];
  yield ["YAML literal", YAML_TYPE, `a: |\n${"  some text\n".repeat(BYTES / 12 - 1)}`];
  yield ["YAML quoted lines", YAML_TYPE, `a: "${"a\n".repeat(BYTES / 2 - 4)}"`];
  yield ["YAML quotes in quotes", YAML_TYPE, `a: '${"''".repeat(BYTES / 2 - 4)}'`];
  yield ["YAML escapes", YAML_TYPE, `a: "${"\\n".repeat(BYTES / 2 - 4)}"`];
  yield ["YAML folded", YAML_TYPE, `a: >\n${" a\n\n".repeat(BYTES / 4 - 4)}`];
  yield ["YAML line breaks", YAML_TYPE, `a: |+\n${"\r\n".repeat(BYTES / 2 - 4)}`];
  yield ["YAML plain lines", YAML_TYPE, "a\r\n".repeat(BYTES / 3)];
  yield ["YAML colons", YAML_TYPE, `a: ${"1:".repeat(BYTES / 2 - 4)}`];
  yield ["YAML tag", YAML_TYPE, `!<${"%41".repeat(BYTES / 3 - 4)}> b`];
  yield ["YAML tag directives", YAML_TYPE, lines((i) => `%TAG !a${i}! b`)];
  yield ["YAML binary", YAML_TYPE, `a: !!binary ${"QUFB".repeat(BYTES / 4 - 8)}`];
  yield ["YAML digits", YAML_TYPE, `a: ${"9_".repeat(BYTES / 2 - 4)}`];
  yield ["YAML anchors", YAML_TYPE, `a: &a [${"1,".repeat(100)}1]\n${lines((i) => `b${i}: *a`).slice(400)}`];
}

function ordinary(): object {
  const data = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key-${i}`, `the value of key ${i}`]));
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "ordinary" }, data };
}

function ordinaryYaml(): string {
  const data = Array.from({ length: 300 }, (_, i) => `  key-${i}: the value of key ${i}`);
  const text = "  text: |\n    some text\n    # of two lines\n";
  return `# A ConfigMap.\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ordinary}\ndata:\n${data.join("\n")}\n${text}`;
}

function lines(line: (i: number) => string): string {
  const out: string[] = [];
  for (let i = 0, length = 0; ; i++) {
    const next = line(i);
    if ((length += next.length + 1) > BYTES) return out.join("\n");
    out.push(next);
  }
}
