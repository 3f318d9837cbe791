import {
  bodyText,
  encodeUtf8,
  getPath,
  never,
  parseJson,
  seededRandom,
  silentLogger,
  stringifyJson,
  VirtualClock,
  type JsonObject,
} from "@fairlead/base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startApiServer, type ApiServer } from "./server.js";
import { MemoryStorage } from "./storage/memory.js";

/*
 * What trips JavaScript and not Go, from the body of a request to the body of an answer: names that objects inherit,
 * names that objects reorder, numbers that a double does not hold. Bodies are text, so that nothing but the server reads
 * or prints them.
 */

const MAPS = "/api/v1/namespaces/default/configmaps";
const THINGS = "/apis/lab.dev/v1/namespaces/default/things";
const CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs";
const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "length", "0", "10", "9", "-1", "4294967295"];
const INTEGERS = ["9007199254740992", "9007199254740993", "-9007199254740993", "9223372036854775807"];
/** As they are sent, and as Go prints the double that it reads. */
const DOUBLES = [
  ["0.1", "0.1"],
  ["1.0", "1"],
  ["1e3", "1000"],
  ["1e-7", "1e-7"],
  ["1E+21", "1e+21"],
  ["12345678901234567890", "12345678901234567000"],
] as const;

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({
    clock: new VirtualClock(),
    random: seededRandom(1),
    logger: silentLogger,
    storage: new MemoryStorage({ freeze: true }),
  });
  await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    text: JSON.stringify({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "things.lab.dev" },
      spec: {
        group: "lab.dev",
        scope: "Namespaced",
        names: { plural: "things", kind: "Thing" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  count: { type: "integer", format: "int64" },
                  map: { type: "object", additionalProperties: { type: "string" } },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                },
              },
            },
          },
        ],
      },
    }),
  });
  for (let i = 0; i < 20; i++) await Promise.resolve();
});
afterAll(async () => {
  await server.close();
});

interface Call {
  readonly text?: string;
  readonly type?: string;
}

async function call(method: string, path: string, { text, type = "application/json" }: Call = {}): Promise<string> {
  const body = text === undefined ? {} : { body: text };
  const response = await server.transport()({ method, path, headers: { "content-type": type }, ...body }, never);
  const answer = await bodyText(response);
  if (response.status >= 400) throw new Error(`${response.status} ${answer}`);
  return answer;
}

/** A member of an answer, printed with all its digits and its keys in the order of their text. */
const memberOf = (answer: string, ...path: readonly string[]): string =>
  stringifyJson(getPath(parseJson(answer), ...path) ?? null);

const MERGE = "application/merge-patch+json";
const JSON_PATCH = "application/json-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const APPLY = "application/apply-patch+yaml";

let count = 0;
const thing = (name: string, members: string): string =>
  `{"apiVersion":"lab.dev/v1","kind":"Thing","metadata":{"name":"${name}"},${members}}`;

describe.each(NAMES)("the key %j", (name) => {
  const key = JSON.stringify(name);
  const kept = `{${key}:"x","k":"v"}`;
  const expected = stringifyJson(parseJson(kept));
  const applied = (map: string): string =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME"},"data":${map}}`;

  it.each([
    ["ConfigMap", MAPS, applied, "data"],
    ["custom resource", THINGS, (map: string) => thing("NAME", `"map":${map},"free":${map}`), "map"],
    ["custom resource without schema", THINGS, (map: string) => thing("NAME", `"free":${map}`), "free"],
  ])("of a %s is created, read, patched and applied", async (_what, path, bodyOf, field) => {
    const object = `o${++count}`;
    const body = (map: string): string => bodyOf(map).replace("NAME", object);
    expect(memberOf(await call("POST", path, { text: body(kept) }), field)).toBe(expected);
    expect(memberOf(await call("GET", `${path}/${object}`), field)).toBe(expected);

    const merge = (value: string): Promise<string> =>
      call("PATCH", `${path}/${object}`, { text: `{"${field}":{${key}:${value}}}`, type: MERGE });
    expect(memberOf(await merge('"y"'), field)).toBe(expected.replace('"x"', '"y"'));
    expect(memberOf(await merge("null"), field)).toBe('{"k":"v"}');
    const add = `[{"op":"add","path":"/${field}/${name}","value":"z"}]`;
    expect(memberOf(await call("PATCH", `${path}/${object}`, { text: add, type: JSON_PATCH }), field)).toBe(
      expected.replace('"x"', '"z"'),
    );
    if (path === MAPS) {
      const patch = { text: `{"data":{${key}:"s"}}`, type: STRATEGIC };
      expect(memberOf(await call("PATCH", `${path}/${object}`, patch), field)).toBe(expected.replace('"x"', '"s"'));
    }

    const apply = (map: string): Promise<string> =>
      call("PATCH", `${path}/${object}?fieldManager=a&force=true`, { text: body(map), type: APPLY });
    const answer = await apply(`{${key}:"w"}`);
    expect(memberOf(answer, field)).toBe(expected.replace('"x"', '"w"'));
    expect(memberOf(answer, "metadata", "managedFields")).toContain(`"f:${field}":{"f:${name}":{}}`);
    expect(memberOf(await apply('{"k":"v"}'), field)).toBe('{"k":"v"}');
    expect(memberOf(await call("GET", `${path}/${object}`), field)).toBe('{"k":"v"}');
  });
});

describe.each(INTEGERS)("the integer %s", (digits) => {
  it("of a custom resource is kept to the digit by a create, a read, patches and an apply", async () => {
    const object = `o${++count}`;
    const members = `"count":${digits},"free":{"l":[${digits}],"n":${digits}}`;
    const expectAll = (answer: string): void => {
      expect(memberOf(answer, "count")).toBe(digits);
      expect(memberOf(answer, "free")).toBe(`{"l":[${digits}],"n":${digits}}`);
    };
    const patch = (text: string, type: string): Promise<string> =>
      call("PATCH", `${THINGS}/${object}?fieldManager=a`, { text, type });
    expectAll(await call("POST", THINGS, { text: thing(object, members) }));
    expectAll(await call("GET", `${THINGS}/${object}`));
    expectAll(await patch('{"metadata":{"labels":{"a":"b"}}}', MERGE));
    expectAll(await patch(`[{"op":"test","path":"/count","value":${digits}}]`, JSON_PATCH));
    expectAll(await patch(thing(object, members), APPLY));
    await patch('{"count":1,"free":{"l":null,"n":null}}', MERGE);
    expectAll(await patch(`{"count":${digits},"free":{"l":[${digits}],"n":${digits}}}`, MERGE));
  });
});

it("an integer of a built-in kind is kept to the digit", async () => {
  const digits = "9007199254740993";
  const template = '{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}';
  const cronJob = `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"c"},"spec":{"schedule":"* * * * *","startingDeadlineSeconds":${digits},"jobTemplate":${template}}}`;
  const expectIt = (answer: string): void => {
    expect(memberOf(answer, "spec", "startingDeadlineSeconds")).toBe(digits);
  };
  const patch = (text: string, type: string): Promise<string> =>
    call("PATCH", `${CRON_JOBS}/c?fieldManager=a`, { text, type });
  expectIt(await call("POST", CRON_JOBS, { text: cronJob }));
  expectIt(await patch('{"metadata":{"labels":{"a":"b"}}}', STRATEGIC));
  expectIt(await patch(`{"spec":{"startingDeadlineSeconds":${digits}}}`, MERGE));
  expectIt(await patch(cronJob, APPLY));
});

it.each(DOUBLES)("%s is answered as %s, as Go prints the double that it reads", async (sent, printed) => {
  const object = `o${++count}`;
  const created = await call("POST", THINGS, { text: thing(object, `"free":{"n":${sent}}`) });
  expect(memberOf(created, "free")).toBe(`{"n":${printed}}`);
  const text = thing(object, `"free":{"n":${sent},"m":${sent}}`);
  const applied = await call("PATCH", `${THINGS}/${object}?fieldManager=a`, { text, type: APPLY });
  expect(memberOf(applied, "free")).toBe(`{"m":${printed},"n":${printed}}`);
});

describe("bytes of an apply", () => {
  const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bytes}\ndata: {k: é}\n";
  const apply = async (body: Uint8Array): Promise<JsonObject> => {
    const request = { method: "PATCH", path: `${MAPS}/bytes?fieldManager=a`, headers: { "content-type": APPLY }, body };
    return parseJson(await bodyText(await server.transport()(request, never))) as JsonObject;
  };

  it("that are not UTF-8 are refused, and nothing is stored", async () => {
    const body = Uint8Array.from([...encodeUtf8(config), 0xff]);
    const message = "error decoding YAML: error converting YAML to JSON: yaml: invalid leading UTF-8 octet";
    expect(await apply(body)).toMatchObject({ code: 400, reason: "BadRequest", message });
    await expect(call("GET", `${MAPS}/bytes`)).rejects.toThrow('"NotFound"');
  });

  it("may be UTF-16 with a byte order mark", async () => {
    const body = Uint8Array.from([0xff, 0xfe, ...Array.from(config, (c) => [c.charCodeAt(0) & 0xff, 0]).flat()]);
    expect((await apply(body))["data"]).toEqual({ k: "é" });
  });
});
