import { crc32 } from "node:zlib";

import type { PersistedWrite } from "./memory.js";

/**
 * The files of a data folder: lines of eight hex digits (CRC-32 of what follows), a space, and JSON. The first line of a
 * file tells its format, so that a newer version can read what an older one wrote, and an older one refuses.
 *
 * - `snapshot.<n>` begins with SnapshotHead, goes on with the objects as they were at `compacted` and then with every
 *   write since, and ends with SnapshotEnd; without that it is not whole.
 * - `log.<n>` begins with LogHead. What is made durable together begins with a SyncMark: where one stands, everything
 *   before it was on the disk. So a damaged line behind the last mark was never acknowledged, and before it is bit rot.
 */
export const FORMAT = 2;

export interface SnapshotHead {
  readonly format: number;
  readonly snapshot: number;
  /** The oldest revision that is still known. */
  readonly compacted: number;
}

export interface SnapshotEnd {
  readonly end: true;
  /** Lines between head and end. */
  readonly lines: number;
  readonly revision: number;
}

export interface LogHead {
  readonly format: number;
  readonly log: number;
}

export interface SyncMark {
  /** The offset of this very line. */
  readonly sync: number;
}

/** The beginning of a line's JSON for a write. What follows in it is the object's text, or nothing for a deletion. */
export interface WriteHead {
  readonly c: string;
  readonly k: string;
  readonly r: number;
}

export type Line =
  | { readonly kind: "write"; readonly write: PersistedWrite }
  | { readonly kind: "mark"; readonly mark: SyncMark }
  | { readonly kind: "head"; readonly head: SnapshotHead | LogHead }
  | { readonly kind: "end"; readonly end: SnapshotEnd };

export function encodeWrite({ collection, key, revision, text }: PersistedWrite): string {
  const head = `{"c":${JSON.stringify(collection)},"k":${JSON.stringify(key)},"r":${revision}`;
  return encodeLine(text === undefined ? `${head}}` : `${head},"v":${text}}`);
}

export function encodeMeta(meta: SnapshotHead | SnapshotEnd | LogHead | SyncMark): string {
  return encodeLine(JSON.stringify(meta));
}

function encodeLine(json: string): string {
  return `${checksum(json)} ${json}\n`;
}

const SPACE = 32;

/** What a line (without its newline) says; undefined when it is damaged. */
export function decodeLine(bytes: Buffer): Line | undefined {
  if (bytes.length < 10 || bytes[8] !== SPACE) return undefined;
  const json = bytes.subarray(9);
  if (checksum(json) !== bytes.toString("latin1", 0, 8)) return undefined;
  return interpret(json.toString("utf8"));
}

function interpret(json: string): Line | undefined {
  if (json.startsWith('{"c":')) return writeLine(json);
  const value = JSON.parse(json) as unknown;
  if (typeof value !== "object" || value === null) return undefined;
  if ("sync" in value) return { kind: "mark", mark: value as SyncMark };
  if ("end" in value) return { kind: "end", end: value as SnapshotEnd };
  if ("format" in value) return { kind: "head", head: value as SnapshotHead | LogHead };
  return undefined;
}

/** `{"c":…,"k":…,"r":…,"v":…}`; the object stays text until somebody reads it. */
const WRITE = /^\{"c":("(?:[^"\\]|\\.)*"),"k":("(?:[^"\\]|\\.)*"),"r":(\d+)(?:,"v":|\})/;

function writeLine(json: string): Line | undefined {
  const match = WRITE.exec(json);
  if (match === null) return undefined;
  const head = match[0];
  return {
    kind: "write",
    write: {
      collection: JSON.parse(match[1] ?? "") as string,
      key: JSON.parse(match[2] ?? "") as string,
      revision: Number(match[3]),
      text: head.length === json.length ? undefined : json.slice(head.length, -1),
    },
  };
}

function checksum(data: string | Buffer): string {
  return crc32(data).toString(16).padStart(8, "0");
}
