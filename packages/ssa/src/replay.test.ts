import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";
import {
  cloneJson,
  decodeNumbers,
  getOwn,
  getPath,
  isArray,
  isObject,
  parseJson,
  setOwn,
  stringifyJson,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from "@fairlead/base";
import {
  applyJsonPatch,
  applyMergePatch,
  applySchemaDefaults,
  dropNonNullableNulls,
  prune,
  StatusError,
  structuralSchema,
  type Schema,
} from "@fairlead/apimachinery";

import {
  applyConfiguration,
  fieldSetOfNames,
  keepTimesOfNoOp,
  trackUpdate,
  TypeCache,
  type ManagerContext,
} from "./index.js";

/*
 * Recorded calls on custom resources, replayed against field management alone: just enough of a server stands around it
 * to decode bodies and to keep spec and status apart. Validation is not emulated, so a recorded refusal that is not
 * field management's own is taken at its word.
 */

interface Step {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly body?: JsonValue;
    readonly contentType?: string;
  };
  readonly response: { readonly status: number; readonly body?: JsonObject };
}

interface Case {
  readonly id: string;
  readonly title: string;
  readonly setup?: boolean;
  readonly steps: readonly Step[];
}

interface Kind {
  readonly group: string;
  readonly kind: string;
  readonly versions: ReadonlyMap<string, { readonly schema: Schema; readonly hasStatus: boolean }>;
  readonly storage: string;
}

const data = new URL("../../conformance/data/", import.meta.url);

function casesOf(file: string): readonly Case[] {
  const bytes = readFileSync(new URL(file, data));
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => parseJson(line) as unknown as Case);
}

function kindsOf(cases: readonly Case[]): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>();
  for (const { request } of cases.flatMap((item) => (item.setup === true ? item.steps : []))) {
    if (!request.path.endsWith("/customresourcedefinitions") || !isObject(request.body)) continue;
    const spec = getPath(request.body, "spec") as JsonObject;
    const group = String(spec["group"]);
    const versions = new Map(
      (spec["versions"] as JsonArray).map((version) => [
        String(getPath(version, "name")),
        {
          schema: structuralSchema(getPath(version, "schema", "openAPIV3Schema")),
          hasStatus: getPath(version, "subresources", "status") !== undefined,
        },
      ]),
    );
    const storage = (spec["versions"] as JsonArray).find((version) => getPath(version, "storage") === true);
    kinds.set(`${group}/${String(getPath(spec, "names", "plural"))}`, {
      group,
      kind: String(getPath(spec, "names", "kind")),
      versions,
      storage: String(getPath(storage, "name")),
    });
  }
  return kinds;
}

const PATH = /^\/apis\/([^/]+)\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/?]+)(?:\/([^/?]+))?(?:\/([^/?]+))?(?:\?(.*))?$/;

/** How the messages begin that field management itself answers with. */
const OWN_FAILURES =
  /^(Apply failed with|failed to create typed|invalid object type|metadata\.managedFields must be nil)/;

class Replay {
  readonly differences: string[] = [];
  compared = 0;
  readonly #kinds: ReadonlyMap<string, Kind>;
  readonly #types = new TypeCache();
  readonly #live = new Map<string, JsonObject>();
  #clock = 0;
  #uid = 0;

  constructor(kinds: ReadonlyMap<string, Kind>) {
    this.#kinds = kinds;
  }

  /** Plays steps until one that is beyond this emulation. */
  play(item: Case): void {
    for (const [i, step] of item.steps.entries()) {
      if (!this.#step(step, `${item.id} step ${i + 1}`)) return;
    }
  }

  #step({ request, response }: Step, place: string): boolean {
    const match = PATH.exec(request.path);
    const kind = match === null ? undefined : this.#kinds.get(`${match[1]}/${match[4]}`);
    if (match === null || kind === undefined) return false;
    const query = new URLSearchParams(match[7] ?? "");
    const version = kind.versions.get(match[2] ?? "");
    if (
      version === undefined ||
      query.has("dryRun") ||
      request.method === "DELETE" ||
      (match[6] ?? "status") !== "status"
    )
      return false;
    const body = bodyOf(request.body);
    if (request.method !== "GET" && !isObject(body) && !isArray(body)) return false;
    const name = match[5] ?? String(getPath(body ?? null, "metadata", "name"));
    const key = `${match[4]}/${name}`;
    const live = this.#live.get(key);
    if (request.method === "GET") return live !== undefined || response.status === 404;
    if (response.status >= 400 && !OWN_FAILURES.test(String(response.body?.["message"]))) return true;
    if (response.status < 400 && response.body?.["kind"] !== kind.kind) return false;
    this.#clock++;
    const now = `2026-01-01T${String(Math.floor(this.#clock / 3600)).padStart(2, "0")}:${String(Math.floor(this.#clock / 60) % 60).padStart(2, "0")}:${String(this.#clock % 60).padStart(2, "0")}Z`;
    const context = this.#context(kind, { version: match[2] ?? "", subresource: match[6] ?? "", now });
    const manager = query.get("fieldManager") ?? "unknown";
    let next: JsonObject;
    try {
      next = this.#write(context, {
        live,
        body: body as JsonValue,
        manager,
        contentType: request.contentType ?? "",
        force: ["true", "1", "yes", ""].includes(query.get("force") ?? "false"),
      });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.compared++;
      const message = response.body?.["message"];
      if (response.status !== error.httpStatus || message !== error.message) {
        this.differences.push(
          `${place}: expected ${response.status} ${String(message)}, got ${error.httpStatus} ${error.message}`,
        );
        return false;
      }
      return true;
    }
    if (response.status >= 400) {
      this.differences.push(`${place}: expected ${String(response.body?.["message"])}, got an object`);
      return false;
    }
    const stored = this.#stored(context, { live, next, hasStatus: version.hasStatus, name });
    this.compared++;
    const [expected, actual] = [comparable(response.body as JsonObject), comparable(stored)];
    if (expected !== actual) {
      this.differences.push(
        `${place} ${request.contentType ?? request.method}\n  expected ${expected}\n  got      ${actual}`,
      );
      return false;
    }
    this.#live.set(key, stored);
    return true;
  }

  #context(
    kind: Kind,
    { version, subresource, now }: { readonly version: string; readonly subresource: string; readonly now: string },
  ): ManagerContext {
    const schemaFor = (apiVersion: string): Schema | undefined =>
      apiVersion.startsWith(`${kind.group}/`)
        ? kind.versions.get(apiVersion.slice(kind.group.length + 1))?.schema
        : undefined;
    const versions = [...kind.versions.keys()].map((name) => `${kind.group}/${name}`);
    const resetFields =
      subresource === "status"
        ? new Map(versions.map((name) => [name, fieldSetOfNames([["metadata"], ["spec"]])]))
        : kind.versions.get(version)?.hasStatus === true
          ? fieldSetOfNames([["status"]])
          : fieldSetOfNames([]);
    return {
      gvk: { group: kind.group, version, kind: kind.kind },
      schemaFor,
      convert: (object, apiVersion) => {
        const copy = cloneJson<MutableJsonObject>(object);
        copy["apiVersion"] = apiVersion;
        prune(copy, schemaFor(apiVersion) as Schema, { root: true });
        return copy;
      },
      subresource,
      resetFields,
      builtin: false,
      applyDefaults: (object) => applySchemaDefaults(object, schemaFor(`${kind.group}/${version}`) as Schema),
      now,
      types: this.#types,
    };
  }

  #write(
    context: ManagerContext,
    input: {
      readonly live: JsonObject | undefined;
      readonly body: JsonValue;
      readonly manager: string;
      readonly contentType: string;
      readonly force: boolean;
    },
  ): JsonObject {
    const { live, body, manager, force } = input;
    const apiVersion = `${context.gvk.group}/${context.gvk.version}`;
    const current = live === undefined ? undefined : inVersion(context, live, apiVersion);
    if (input.contentType.includes("apply-patch"))
      return applyConfiguration(context, { live: current, config: body as JsonObject, manager, force });
    const raw = input.contentType.includes("json-patch")
      ? applyJsonPatch(current ?? {}, body)
      : input.contentType.includes("merge-patch")
        ? applyMergePatch(current ?? {}, body)
        : body;
    const next = decodeBody(context, raw as JsonObject, apiVersion);
    return trackUpdate(context, { live: current, next, manager });
  }

  /** What a server would store: system metadata kept, spec and status kept apart. */
  #stored(
    context: ManagerContext,
    input: {
      readonly live: JsonObject | undefined;
      readonly next: JsonObject;
      readonly hasStatus: boolean;
      readonly name: string;
    },
  ): JsonObject {
    const { live, next } = input;
    const out = cloneJson<MutableJsonObject>(next);
    const metadata = coercedMetadata(out["metadata"]);
    const created = {
      uid: `u${++this.#uid}`,
      name: input.name,
      creationTimestamp: "2026-01-01T00:00:00Z",
      generation: 1,
      resourceVersion: "1",
    };
    const system = live === undefined ? created : pick(live["metadata"], Object.keys(created));
    out["metadata"] = { ...metadata, ...system };
    if (context.subresource === "status") {
      const kept = cloneJson<MutableJsonObject>(live ?? {});
      const keptMetadata = { ...(kept["metadata"] as JsonObject) };
      delete keptMetadata["managedFields"];
      const managedFields = getPath(next, "metadata", "managedFields");
      if (managedFields !== undefined) keptMetadata["managedFields"] = managedFields;
      kept["metadata"] = keptMetadata;
      if (out["status"] === undefined) delete kept["status"];
      else kept["status"] = out["status"];
      kept["apiVersion"] = out["apiVersion"];
      return live === undefined ? kept : keepTimesOfNoOp(kept, live);
    }
    if (input.hasStatus) {
      delete out["status"];
      if (live?.["status"] !== undefined) out["status"] = live["status"];
    }
    return live === undefined ? out : keepTimesOfNoOp(out, live);
  }
}

function bodyOf(body: JsonValue | undefined): JsonValue | undefined {
  if (typeof body !== "string") return body === undefined ? undefined : decodeNumbers(body);
  try {
    return decodeNumbers(parseJson(body));
  } catch {
    return undefined;
  }
}

function inVersion(context: ManagerContext, object: JsonObject, apiVersion: string): JsonObject {
  return object["apiVersion"] === apiVersion ? object : context.convert(object, apiVersion);
}

function decodeBody(context: ManagerContext, raw: JsonObject, apiVersion: string): JsonObject {
  const schema = context.schemaFor(apiVersion) as Schema;
  const out = cloneJson<MutableJsonObject>(raw);
  prune(out, schema, { root: true });
  dropNonNullableNulls(out, schema);
  applySchemaDefaults(out, schema);
  out["metadata"] = coercedMetadata(out["metadata"]);
  return out;
}

/** Metadata as it comes out of its Go type: no nulls, no empty maps and lists, null labels as empty strings. */
function coercedMetadata(metadata: JsonValue | undefined): JsonObject {
  const out: MutableJsonObject = {};
  if (!isObject(metadata)) return out;
  for (const key of Object.keys(metadata)) {
    const value = metadata[key] as JsonValue;
    if (
      value === null ||
      (isArray(value) && value.length === 0) ||
      (isObject(value) && Object.keys(value).length === 0)
    )
      continue;
    if (["generation", "creationTimestamp", "resourceVersion"].includes(key)) continue;
    if (isObject(value)) {
      const map: MutableJsonObject = {};
      for (const name of Object.keys(value)) setOwn(map, name, value[name] ?? "");
      out[key] = map;
    } else out[key] = value;
  }
  return out;
}

function pick(object: JsonValue | undefined, keys: readonly string[]): JsonObject {
  const out: MutableJsonObject = {};
  for (const key of keys) {
    const value = isObject(object) ? getOwn(object, key) : undefined;
    if (value !== undefined) out[key] = value;
  }
  return out;
}

function comparable(object: JsonObject): string {
  const metadata = object["metadata"] as JsonObject;
  const managed = ((metadata["managedFields"] ?? []) as readonly JsonObject[]).map((entry) => ({
    ...entry,
    ...(entry["time"] === undefined ? {} : { time: "<time>" }),
  }));
  const entries = managed.map((entry) => stringifyJson(entry)).sort();
  const system = pick(metadata, ["labels", "annotations", "finalizers"]);
  const { metadata: _metadata, ...rest } = object;
  return `${stringifyJson({ ...rest, metadata: system })} ${entries.join(" ")}`;
}

describe("recorded calls on custom resources", () => {
  it.each([
    ["ssa.jsonl", 450, 1],
    ["patch.jsonl", 100, 1],
    ["miniservice.jsonl", 40, 1],
    ["random.jsonl.gz", 1000, 4],
  ])("%s is managed as Kubernetes does", (file, atLeast, oneOf) => {
    const cases = casesOf(file);
    const kinds = kindsOf(cases);
    const differences: string[] = [];
    let compared = 0;
    for (const [i, item] of cases.entries()) {
      if (item.setup === true || i % oneOf !== 0) continue;
      const replay = new Replay(kinds);
      replay.play(item);
      compared += replay.compared;
      differences.push(...replay.differences);
    }
    expect(differences.slice(0, 20)).toEqual([]);
    expect(compared).toBeGreaterThanOrEqual(atLeast);
  });
});
