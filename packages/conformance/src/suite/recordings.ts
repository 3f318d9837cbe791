import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

import type { JsonObject, JsonValue } from "@fairlead/base";

import type { Trimming } from "./digest.js";

/** A request as it is recorded; symbols stand for what the server invented. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly accept?: string;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: JsonValue;
  /** Whom the request impersonates. */
  readonly as?: { readonly user: string; readonly groups?: readonly string[] };
}

export interface Step extends Trimming {
  readonly request: RecordedRequest;
  readonly response: JsonObject;
  /** Waits so long before the request. */
  readonly pauseMs?: number;
  /** The answer may need a while to become the recorded one. */
  readonly eventually?: boolean;
}

/** A few requests that belong together. Symbols are numbered within a case. */
export interface Case {
  readonly id: string;
  readonly title: string;
  /** Prepares the cases after it; always played, never counted. */
  readonly setup?: boolean;
  readonly steps: readonly Step[];
}

const DATA = new URL("../../data/", import.meta.url);

/** Names of the recordings, sorted: `ssa`, `random`, … */
export function recordings(): readonly string[] {
  const files = readdirSync(DATA).filter((name) => /\.jsonl(\.gz)?$/.test(name));
  return files.map((name) => name.replace(/\.jsonl(\.gz)?$/, "")).sort();
}

/** The cases of a recording, in the order in which they were recorded. */
export function casesOf(name: string): readonly Case[] {
  const file = readdirSync(DATA).find((entry) => entry === `${name}.jsonl` || entry === `${name}.jsonl.gz`);
  if (file === undefined) throw new RangeError(`no recording is named ${name}; there are ${recordings().join(", ")}`);
  const bytes = readFileSync(new URL(file, DATA));
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Case);
}
