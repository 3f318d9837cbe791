import { startApiServer, type ApiServer } from "@fairlead/apiserver";
import { seededRandom, silentLogger, type JsonObject, type JsonValue } from "@fairlead/base";
import { systemClock } from "@fairlead/base/node";

import { rounded, type Bench } from "./figure.js";
import { standstill } from "./standstill.js";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const THINGS = "/apis/hostile.test/v1/things";

/**
 * How long the event loop stands still at most while definitions, and objects of the kinds that they define, come in
 * that were made to be slow.
 */
export const hostileDefinitions: Bench = {
  name: "hostile-definitions",
  async measure() {
    const longest = new Map<string, number>();
    const server = await startApiServer({ clock: systemClock, random: seededRandom(1), logger: silentLogger });
    try {
      for (let i = 0; i < 20; i++) await run(server, ORDINARY);
      for (const attack of ATTACKS) longest.set(attack.name, await run(server, attack));
    } finally {
      await server.close();
    }
    const detail = Object.fromEntries([...longest].map(([name, ms]) => [name, rounded(ms)]));
    return {
      name: "hostile-definitions",
      value: Math.max(...longest.values()),
      unit: "ms",
      goal: 100,
      better: "lower",
      detail,
    };
  },
};

interface Attack {
  readonly name: string;
  readonly definition: JsonObject;
  /** `spec` of an object; none where the definition is the attack. */
  readonly object?: JsonValue;
  /** `spec` of the object that replaces it. */
  readonly change?: JsonValue;
}

/** Defines the kind, creates the object and changes it, and takes all away again. */
async function run(server: ApiServer, { definition, object, change }: Attack): Promise<number> {
  let longestMs = 0;
  const send = async (method: string, path: string, body?: JsonValue): Promise<{ status: number; text: string }> => {
    const answer = await standstill(server, {
      method,
      path,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    longestMs = Math.max(longestMs, answer.longestMs);
    return answer;
  };
  const defined = await send("POST", DEFINITIONS, definition);
  if (defined.status !== 201) return longestMs;
  while ((await standstill(server, { method: "GET", path: THINGS })).status !== 200) await systemClock.turn();
  if (object !== undefined) {
    const head = { apiVersion: "hostile.test/v1", kind: "Thing", metadata: { name: "x" } };
    const made = await send("POST", THINGS, { ...head, spec: object });
    if (made.status === 201) {
      const { metadata } = JSON.parse(made.text) as { metadata: { resourceVersion: string } };
      await send("PUT", `${THINGS}/x`, {
        ...head,
        metadata: { name: "x", resourceVersion: metadata.resourceVersion },
        spec: change ?? object,
      });
      await standstill(server, { method: "GET", path: THINGS, accept: TABLE }).then((answer) => {
        longestMs = Math.max(longestMs, answer.longestMs);
      });
    }
  }
  await send("DELETE", `${DEFINITIONS}/things.hostile.test`);
  while ((await standstill(server, { method: "GET", path: `${DEFINITIONS}/things.hostile.test` })).status !== 404)
    await systemClock.turn();
  return longestMs;
}

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

function definitionOf(spec: JsonObject, more: JsonObject = {}, conversion?: JsonObject): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.hostile.test" },
    spec: {
      group: "hostile.test",
      scope: "Cluster",
      names: { plural: "things", kind: "Thing" },
      ...(conversion === undefined ? {} : { conversion }),
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
          ...more,
        },
      ],
    },
  };
}

const STRING = { type: "string" };
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const fields = (count: number, schema: (i: number) => JsonObject): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(times(count, (i) => [`f${i}`, schema(i)])),
});
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "array", items, ...more });
const rule = (...rules: readonly string[]): JsonObject => ({
  "x-kubernetes-validations": rules.map((rule) => ({ rule })),
});
const nested = (depth: number, around: (inner: JsonObject) => JsonObject): JsonObject => {
  let schema: JsonObject = { type: "object", properties: { a: STRING } };
  for (let i = 0; i < depth; i++) schema = around(schema);
  return schema;
};

const ORDINARY: Attack = {
  name: "ordinary",
  definition: definitionOf({
    ...fields(10, () => ({ type: "string", maxLength: 9, default: "x" })),
    ...rule("self.f0 != 'y'", "self.f1.matches('^x+$')"),
  }),
  object: { f0: "a", f2: "b" },
};

/** A loop over a list whose every step is an expression about `x`, of which `self.n` times 10 are run. */
function loop(
  name: string,
  each: string,
  more: {
    readonly properties?: JsonObject;
    readonly values?: JsonObject;
    readonly rules?: number;
    readonly items?: JsonObject;
    readonly item?: (i: number) => JsonValue;
  } = {},
): Attack {
  const count = 6000;
  return {
    name: `rule: ${name}`,
    definition: definitionOf({
      type: "object",
      properties: { l: list(more.items ?? { type: "string", maxLength: 8 }, { maxItems: count }), ...more.properties },
      ...rule(...times(more.rules ?? 10, (i) => `self.l.all(x, ${each}) || ${i} < 0`)),
    }),
    object: { l: times(count, more.item ?? ((i) => `i${i}`)), ...more.values },
  };
}

const ATTACKS: readonly Attack[] = [
  {
    name: "definition: rules",
    definition: definitionOf({ type: "object", ...rule(...times(20_000, (i) => `self == self || ${i} > 3`)) }),
  },
  {
    name: "definition: wrong rules",
    definition: definitionOf({ type: "object", ...rule(...times(20_000, (i) => `self.x > ${i}`)) }),
  },
  {
    name: "definition: rules at each depth",
    definition: definitionOf(
      nested(300, (a) => ({
        type: "object",
        properties: { a, b: STRING, c: STRING },
        ...rule("has(self.b)", "has(self.c)"),
      })),
    ),
  },
  {
    name: "definition: long rules",
    definition: definitionOf({
      type: "object",
      properties: { a: { type: "integer" } },
      ...rule(...times(20, () => `self.a == ${times(12_000, (i) => String(i % 10)).join(" + ")}`)),
    }),
  },
  {
    name: "definition: deep rules",
    definition: definitionOf({
      type: "object",
      properties: { a: { type: "integer" } },
      ...rule(
        ...times(
          200,
          () => `self.a == ${"(".repeat(90)}1${")".repeat(90)} && ${"[".repeat(90)}1${"]".repeat(90)} != []`,
        ),
      ),
    }),
  },
  {
    name: "definition: review versions",
    definition: definitionOf(
      { type: "object" },
      {},
      {
        strategy: "Webhook",
        webhook: {
          clientConfig: { url: "https://a.test/" },
          conversionReviewVersions: ["v1", ...times(45_000, (i) => `v${i + 2}`)],
        },
      },
    ),
  },
  {
    name: "definition: required",
    definition: definitionOf({
      ...fields(9_990, () => STRING),
      required: times(9_990, (i) => `f${i}`),
      ...rule("true"),
    }),
  },
  {
    name: "definition: properties with rules",
    definition: definitionOf(fields(6_000, (i) => ({ type: "integer", ...rule(`self > ${i}`) }))),
  },
  {
    name: "definition: defaults",
    definition: definitionOf(
      fields(5_000, () => ({
        type: "object",
        default: { a: "x", b: 1 },
        properties: { a: STRING, b: { type: "integer" } },
      })),
    ),
  },
  { name: "definition: wrong types", definition: definitionOf(fields(9_900, () => ({ type: "what" }))) },
  { name: "definition: nothing structural", definition: definitionOf(fields(9_900, () => ({}))) },
  {
    name: "definition: versions",
    definition: {
      ...definitionOf({}),
      spec: {
        group: "hostile.test",
        scope: "Cluster",
        names: { plural: "things", kind: "Thing" },
        versions: times(4_000, (i) => ({
          name: `v${i + 1}`,
          served: true,
          storage: i === 0,
          schema: { openAPIV3Schema: { type: "object", description: String(i) } },
        })),
      },
    },
  },
  {
    name: "definition: names",
    definition: {
      ...definitionOf({}),
      spec: {
        group: "hostile.test",
        scope: "Cluster",
        names: {
          plural: "things",
          kind: "Thing",
          shortNames: times(20_000, (i) => `s${i}`),
          categories: times(20_000, (i) => `c${i}`),
        },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    },
  },
  {
    name: "definition: patterns",
    definition: definitionOf(fields(3_000, (i) => ({ type: "string", pattern: `^(a{900}|b{${i % 900}})$` }))),
  },
  {
    name: "definition: rules with patterns",
    definition: definitionOf({
      type: "object",
      properties: { s: { type: "string", maxLength: 10 } },
      ...rule(...times(3_000, (i) => `self.s.matches('^(a{900}|b{${i % 900}})$')`)),
    }),
  },
  {
    name: "object: alternatives",
    definition: definitionOf({
      type: "object",
      properties: { l: list({ type: "integer", anyOf: times(500, (i) => ({ enum: [i] })) }) },
    }),
    object: { l: times(10_000, (i) => -i) },
  },
  {
    name: "object: enum",
    definition: definitionOf({
      type: "object",
      properties: { l: list({ type: "string", enum: times(9_000, (i) => `v${i}`) }) },
    }),
    object: { l: times(40_000, () => "v8999") },
  },
  {
    name: "object: none of the enum",
    definition: definitionOf({
      type: "object",
      properties: { l: list({ type: "string", enum: times(9_000, (i) => `v${i}`) }) },
    }),
    object: { l: times(40_000, (i) => `w${i}`) },
  },
  {
    name: "object: enum of objects",
    definition: definitionOf({
      type: "object",
      properties: {
        l: list({
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          enum: times(2_000, (i) => ({ a: { b: i } })),
        }),
      },
    }),
    object: { l: times(12_000, () => ({ a: { b: -1 } })) },
  },
  {
    name: "object: wrong items",
    definition: definitionOf({ type: "object", properties: { l: list({ type: "integer" }) } }),
    object: { l: times(45_000, () => "x") },
  },
  {
    name: "object: unknown fields",
    definition: definitionOf({ type: "object", properties: { l: list({ type: "object" }) } }),
    object: { l: times(15_000, () => ({ a: 1 })) },
  },
  {
    name: "object: pattern",
    definition: definitionOf({ type: "object", properties: { s: { type: "string", pattern: "^[ab]*a[ab]{990}c$" } } }),
    object: { s: times(2_900_000, (i) => ((i * 7919) % 13 < 6 ? "a" : "b")).join("") },
  },
  {
    name: "object: large pattern",
    definition: definitionOf({
      type: "object",
      properties: {
        s: {
          type: "string",
          pattern: `(${times(900, (i) => `${String.fromCharCode(97 + (i % 26))}{1000}`).join("|")})$`,
        },
      },
    }),
    object: { s: "ab".repeat(1_400_000) },
  },
  {
    name: "object: set",
    definition: definitionOf({ type: "object", properties: { l: list(STRING, { "x-kubernetes-list-type": "set" }) } }),
    object: { l: times(45_000, (i) => `v${i}`) },
  },
  {
    name: "object: unique items",
    definition: definitionOf({
      type: "object",
      properties: {
        l: list({ type: "object", properties: { a: { type: "integer" } } }, { "x-kubernetes-list-type": "set" }),
      },
    }),
  },
  {
    name: "object: keyed list, rules",
    definition: definitionOf({
      type: "object",
      properties: {
        l: list(
          {
            type: "object",
            required: ["k"],
            properties: { k: STRING, v: { type: "integer" } },
            ...rule("self == oldSelf || self.v >= 0"),
          },
          { maxItems: 12_000, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
        ),
      },
    }),
    object: { l: times(12_000, (i) => ({ k: `k${i}`, v: 1 })) },
    change: { l: times(12_000, (i) => ({ k: `k${12_000 - i}`, v: 2 })) },
  },
  {
    name: "object: amplified defaults",
    definition: definitionOf({
      type: "object",
      properties: {
        l: list({
          type: "object",
          properties: {
            a: { ...fields(2_000, () => STRING), default: Object.fromEntries(times(2_000, (i) => [`f${i}`, "x"])) },
          },
        }),
      },
    }),
    object: { l: times(40_000, () => ({})) },
  },
  {
    name: "object: depth",
    definition: definitionOf(nested(300, (a) => ({ type: "object", properties: { a } }))),
    object: JSON.parse(`${'{"a":'.repeat(301)}"x"${"}".repeat(301)}`) as JsonValue,
  },
  {
    name: "object: deep columns",
    definition: definitionOf(
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      {
        additionalPrinterColumns: times(20, (i) => ({ name: `c${i}`, type: "string", jsonPath: ".spec..*..*..*..a" })),
      },
    ),
    object: JSON.parse(`${'{"a":'.repeat(900)}"x"${"}".repeat(900)}`) as JsonValue,
  },
  {
    name: "object: wide columns",
    definition: definitionOf(
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      { additionalPrinterColumns: times(500, (i) => ({ name: `c${i}`, type: "string", jsonPath: ".spec.l[*].a" })) },
    ),
    object: { l: times(20_000, () => ({ a: 1 })) },
  },
  {
    name: "object: rules on items",
    definition: definitionOf({
      type: "object",
      properties: {
        l: list(
          { type: "string", maxLength: 5, ...rule(...times(20, (i) => `self != 'w${i}'`)) },
          { maxItems: 20_000 },
        ),
      },
    }),
    object: { l: times(20_000, (i) => `${i}`) },
  },
  {
    name: "object: failing rules on items",
    definition: definitionOf({
      type: "object",
      properties: {
        l: list(
          { type: "string", maxLength: 5, ...rule(...times(20, (i) => `self == 'w${i}'`)) },
          { maxItems: 20_000 },
        ),
      },
    }),
    object: { l: times(20_000, (i) => `${i}`) },
  },
  loop("comparing", "x != 'y'"),
  loop("nothing", "true"),
  loop("quantities", "quantity('1.5Gi').compareTo(quantity('2Gi')) < 0"),
  loop("versions", "semver('1.2.3-rc.1').compareTo(semver('1.2.3')) < 0"),
  loop("addresses", "ip('fe80::1').family() == 6"),
  loop("URLs", "url('https://a.test:80/x?a=b').getHost() != ''"),
  loop("times", "timestamp('2024-01-01T00:00:00Z').getFullYear('Europe/Berlin') == 2024"),
  loop("durations", "duration('1h2m3s').getHours() == 1"),
  loop("formats", "'%s %d %x'.format([x, 1, 255]) != ''"),
  loop("named formats", "!format.dns1123Label().validate('a-b').hasValue()"),
  loop("patterns", "x.matches('^i[0-9]+$')"),
  loop("made patterns", "!x.matches('^j' + x + '+$')"),
  loop("finding", "x.find('[0-9]+$') != ''"),
  loop("replacing", "x.replace('i', 'j') != x"),
  loop("splitting", "x.split('').size() > 0"),
  loop("long text", "self.s != x && size(self.s) > 0", {
    properties: { s: { type: "string", maxLength: 3_000_000 } },
    values: { s: "é".repeat(1_400_000) },
    rules: 3,
  }),
  loop("large map", "size(self.m) > 0", {
    properties: { m: { type: "object", maxProperties: 9_000, additionalProperties: STRING } },
    values: { m: Object.fromEntries(times(9_000, (i) => [`k${i}`, "v"])) },
    rules: 3,
  }),
  loop("objects", "has(x.a) && x.a.b != 'z'", {
    items: {
      type: "object",
      properties: { a: { type: "object", properties: { b: { type: "string", maxLength: 3 } } } },
    },
    item: () => ({ a: { b: "c" } }),
  }),
  loop("dates", "x.getFullYear() == 2024", {
    items: { type: "string", format: "date-time" },
    item: () => "2024-01-01T00:00:00Z",
  }),
  loop("adding lists", "([x] + [x]).size() == 2"),
  loop("sets", "sets.contains(self.l, [x])", { rules: 1 }),
  loop("sorting", "[3, 2, 1, x.size()].sort()[0] >= 0"),
  loop("maps", "{'a': x, 'b': x}['a'] == x"),
  loop("types", "type(x) == string && dyn(x) == x"),
  loop("bytes", "bytes(x) == bytes(x) && base64.encode(bytes(x)) != ''"),
];
