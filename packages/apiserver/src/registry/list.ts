import type { JsonObject } from "@fairlead/base";
import type { FieldSelector, LabelSelector } from "@fairlead/apimachinery";

import { CompactedError } from "../storage/errors.js";
import type { Record } from "../storage/storage.js";
import type { ContinueTokens } from "./continue.js";
import { inVersion } from "./conversion.js";
import { apiVersionOf, type Endpoint } from "./endpoint.js";
import { badRequest, expired, revisionTooLarge } from "./failures.js";
import type { Registry } from "./registry.js";
import type { Ending } from "./request.js";
import { matches } from "./selection.js";

export interface ListOptions {
  readonly namespace: string | undefined;
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
  readonly limit: number | undefined;
  readonly continueToken: string | undefined;
  readonly resourceVersion: number | undefined;
  readonly match: "Exact" | "NotOlderThan" | undefined;
  readonly ending: Ending;
}

export interface Listed {
  readonly objects: readonly JsonObject[];
  readonly revision: number;
  readonly continueToken: string | undefined;
  readonly remaining: number | undefined;
}

const WAIT_MS = 3000;
const WAIT_STEP_MS = 50;

/** LIST: a page, or all, of a collection at one revision, in key order. */
export async function listObjects(
  registry: Registry,
  endpoint: Endpoint,
  options: ListOptions,
  tokens: ContinueTokens,
): Promise<Listed> {
  const start = await startOf(registry, endpoint, options, tokens);
  const prefix = options.namespace === undefined ? "" : `${options.namespace}/`;
  const limit = start.ignoresLimit ? undefined : options.limit;
  const selective = options.labels !== undefined || options.fields !== undefined;
  const range = { prefix, revision: start.exact ? start.revision : undefined, after: start.after };
  const objects: JsonObject[] = [];
  let last: Record | undefined;
  let more = false;
  const records = recordsOf(registry, endpoint, range);
  const candidates = selective || limit === undefined ? records : records.slice(0, limit + 1);
  const read = await inVersion(endpoint, objectsOf(candidates), apiVersionOf(endpoint.strategy.info));
  for (const record of candidates) {
    const object = read(record.object);
    if (selective && !matches(endpoint, object, options)) continue;
    if (limit !== undefined && objects.length === limit) {
      more = true;
      break;
    }
    objects.push(object);
    last = record;
  }
  const { revision } = start;
  if (!more || last === undefined) return { objects, revision, continueToken: undefined, remaining: undefined };
  const total = selective
    ? undefined
    : recordsOf(registry, endpoint, { prefix, revision: range.revision, after: last.key }).length;
  return { objects, revision, continueToken: tokens.encode({ revision, after: last.key }, prefix), remaining: total };
}

function* objectsOf(records: readonly Record[]): Generator<JsonObject> {
  for (const record of records) yield record.object;
}

function recordsOf(
  registry: Registry,
  endpoint: Endpoint,
  range: { readonly prefix: string; readonly revision: number | undefined; readonly after: string | undefined },
): readonly Record[] {
  try {
    return registry.storage.list(endpoint.collection, {
      prefix: range.prefix,
      ...(range.revision === undefined ? {} : { revision: range.revision }),
      ...(range.after === undefined ? {} : { after: range.after }),
    });
  } catch (error) {
    if (error instanceof CompactedError) throw expired("The resourceVersion for the provided list is too old.");
    throw error;
  }
}

interface Start {
  readonly revision: number;
  readonly exact: boolean;
  readonly after: string | undefined;
  readonly ignoresLimit: boolean;
}

async function startOf(
  registry: Registry,
  endpoint: Endpoint,
  options: ListOptions,
  tokens: ContinueTokens,
): Promise<Start> {
  const { storage } = registry;
  const ignoresLimit = options.resourceVersion === 0 && options.match === undefined;
  if (options.continueToken !== undefined) {
    if (options.resourceVersion !== undefined && options.resourceVersion !== 0) {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    const token = tokens.decode(options.continueToken, options.namespace === undefined ? "" : `${options.namespace}/`);
    if (token.revision < 0) return { revision: storage.revision, exact: false, after: token.after, ignoresLimit };
    if (token.revision < storage.compactedRevision)
      throw tokens.expired(token, options.namespace === undefined ? "" : `${options.namespace}/`);
    return { revision: token.revision, exact: true, after: token.after, ignoresLimit };
  }
  const wanted = options.resourceVersion ?? 0;
  if (wanted > 0) await reach(registry, wanted, options.ending);
  const exact =
    wanted > 0 && (options.match === "Exact" || (options.match === undefined && options.limit !== undefined));
  return {
    revision: exact ? wanted : storage.revision,
    exact,
    after: undefined,
    ignoresLimit,
  };
}

/** Waits until a revision is visible. @throws StatusError 504 after three seconds */
export async function reach(registry: Registry, revision: number, ending: Ending): Promise<void> {
  for (let waited = 0; registry.storage.revision < revision; waited += WAIT_STEP_MS) {
    if (waited >= WAIT_MS) throw revisionTooLarge(revision, registry.storage.revision);
    await registry.clock.sleep(WAIT_STEP_MS, ending.signal);
  }
}
