import { resolve } from "node:path";

import { systemFiles } from "@fairlead/base/node";
import { restoreDataDirectory, snapshotDataDirectory } from "@fairlead/apiserver/node";

import type { Terminal } from "../terminal.js";

export interface SnapshotFlags {
  readonly dataDir: string;
  readonly to: string;
}

/** `fairlead server snapshot`: a backup of a data folder, online or not. Prints what it holds. */
export async function snapshotCommand({ dataDir, to }: SnapshotFlags, terminal: Terminal): Promise<void> {
  const report = await snapshotDataDirectory(systemFiles, resolve(dataDir), resolve(to));
  terminal.stdout.write(`${JSON.stringify({ snapshot: to, ...report })}\n`);
}

export interface RestoreFlags {
  readonly from: string;
  readonly dataDir: string;
}

/** `fairlead server restore`: a data folder from a backup. Certificates and tokens are new at its first start. */
export async function restoreCommand({ from, dataDir }: RestoreFlags, terminal: Terminal): Promise<void> {
  const report = await restoreDataDirectory(systemFiles, resolve(from), resolve(dataDir));
  terminal.stdout.write(`${JSON.stringify({ restored: dataDir, ...report })}\n`);
}
