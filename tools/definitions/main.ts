#!/usr/bin/env node
// Installs the definitions that people install, and creates the objects that their authors publish with them. It needs
// `go`, which fetches them; nothing of them is kept here.
import { startApiServer, type ApiServer } from "@fairlead/apiserver";
import {
  bodyText,
  getPath,
  isArray,
  isObject,
  never,
  parseJson,
  seededRandom,
  silentLogger,
  stringifyJson,
  type JsonObject,
} from "@fairlead/base";
import { systemClock } from "@fairlead/base/node";

import { documentsOf, moduleFolder, type Document } from "./documents.js";
import { SOURCES, type Source } from "./sources.js";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const ESTABLISHED_MS = 5000;

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

interface Count {
  passed: number;
  failed: number;
}

/** The namespaces that a server has been given. */
const namespaces = new WeakMap<ApiServer, Set<string>>();
const count: Count = { passed: 0, failed: 0 };
const asked = process.argv.slice(2);
for (const source of SOURCES)
  if (asked.length === 0 || asked.some((word) => source.module.includes(word))) await check(source);
process.stdout.write(`${count.passed} passed, ${count.failed} failed\n`);
if (count.failed > 0) process.exitCode = 1;

async function check(source: Source): Promise<void> {
  const folder = moduleFolder(source.module);
  const server = await startApiServer({ clock: systemClock, random: seededRandom(1), logger: silentLogger });
  const tell = tellerOf(folder);
  try {
    const definitions = documentsOf(folder, source.definitions).filter(
      ({ object }) => object["kind"] === "CustomResourceDefinition",
    );
    const before = { ...count };
    for (const one of definitions) tell(one, await install(server, one));
    const groups = new Set(definitions.map(({ object }) => getPath(object, "spec", "group")));
    const samples = (places: readonly string[]): readonly Document[] =>
      documentsOf(folder, places).filter(
        ({ object }) => object["kind"] !== "CustomResourceDefinition" && groups.has(groupOf(object)),
      );
    for (const one of samples(source.samples)) {
      const why = await create(server, one.object);
      tell(one, isFaulty(source, one) ? refusal(why) : why);
    }
    for (const one of samples(source.refused ?? [])) tell(one, refusal(await create(server, one.object)));
    const { passed, failed } = count;
    process.stdout.write(
      `${source.module}: ${definitions.length} definitions, ${passed - before.passed} passed, ${failed - before.failed} failed\n`,
    );
  } finally {
    await server.close();
  }
}

function isFaulty({ faulty = {} }: Source, { file }: Document): boolean {
  return Object.keys(faulty).some((end) => file.endsWith(end));
}

/** What is wrong where an object that is to be refused for its content is not. */
function refusal(why: string | undefined): string | undefined {
  if (why === undefined) return "accepted, and should have been refused";
  return why.startsWith("422 ") ? undefined : why;
}

/** Counts what became of a document, and says what failed. */
function tellerOf(folder: string): (document: Document, why: string | undefined) => void {
  return ({ file, object }, why) => {
    if (why === undefined) return void count.passed++;
    count.failed++;
    const name = String(getPath(object, "metadata", "name") ?? "");
    process.stdout.write(`${file.slice(folder.length + 1)}: ${String(object["kind"])} ${name}: ${why}\n`);
  };
}

/** Why a definition was not installed. */
async function install(server: ApiServer, { object }: Document): Promise<string | undefined> {
  const { status, body } = await call(server, { method: "POST", path: `${CRDS}?fieldValidation=Strict`, body: object });
  if (status !== 201) return messageOf(status, body);
  const end = systemClock.monotonic() + ESTABLISHED_MS;
  const path = `${CRDS}/${String(getPath(object, "metadata", "name"))}`;
  while (systemClock.monotonic() < end) {
    const { body: live } = await call(server, { method: "GET", path });
    const conditions = getPath(live, "status", "conditions");
    if (isArray(conditions) && conditions.some((c) => isObject(c) && isTrue(c, "Established"))) return undefined;
    await systemClock.turn();
  }
  return "was not established";
}

function isTrue(condition: JsonObject, type: string): boolean {
  return condition["type"] === type && condition["status"] === "True";
}

/** Why an object was not created, as Strict decoding sees it. */
async function create(server: ApiServer, object: JsonObject): Promise<string | undefined> {
  const apiVersion = String(object["apiVersion"]);
  const { body: resources } = await call(server, { method: "GET", path: `/apis/${apiVersion}` });
  const list = getPath(resources, "resources");
  const resource = isArray(list)
    ? list.find((r): r is JsonObject => isObject(r) && r["kind"] === object["kind"] && !String(r["name"]).includes("/"))
    : undefined;
  if (resource === undefined) return `${apiVersion} ${String(object["kind"])} is not served`;
  const namespace = String(getPath(object, "metadata", "namespace") ?? "default");
  await ensureNamespace(server, namespace);
  const scope = resource["namespaced"] === true ? `/namespaces/${namespace}` : "";
  const path = `/apis/${apiVersion}${scope}/${String(resource["name"])}?fieldValidation=Strict`;
  const { status, body } = await call(server, { method: "POST", path, body: object });
  // The same name in another sample of the same source.
  if (status === 409) return retried(server, path, object);
  return status === 201 ? undefined : messageOf(status, body);
}

async function retried(server: ApiServer, path: string, object: JsonObject): Promise<string | undefined> {
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const { name, ...rest } = metadata;
  const renamed = { ...object, metadata: { ...rest, generateName: `${String(name).slice(0, 40)}-` } };
  const { status, body } = await call(server, { method: "POST", path, body: renamed });
  return status === 201 ? undefined : messageOf(status, body);
}

async function ensureNamespace(server: ApiServer, name: string): Promise<void> {
  const known = namespaces.get(server) ?? new Set(["default"]);
  namespaces.set(server, known);
  if (known.has(name)) return;
  known.add(name);
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await call(server, { method: "POST", path: "/api/v1/namespaces", body });
}

function groupOf(object: JsonObject): string {
  return String(object["apiVersion"]).split("/")[0] ?? "";
}

function messageOf(status: number, body: JsonObject): string {
  return `${status} ${String(body["message"])}`;
}

async function call(
  server: ApiServer,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: JsonObject },
): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const request = { method, path, headers, ...(body === undefined ? {} : { body: stringifyJson(body) }) };
  const response = await server.transport()(request, never);
  return { status: response.status, body: parseJson(await bodyText(response)) as JsonObject };
}
