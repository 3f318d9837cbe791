import { createGunzip } from "node:zlib";

import { messageOf } from "@fairlead/base";
import { extract, type Header } from "tar-stream";

import { RenderError } from "../render/renderer.js";

/** What a chart's archive may hold; beyond it the archive is refused before anything reads it. */
export interface ArchiveLimits {
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  readonly maxEntries: number;
}

const DEFAULT_LIMITS: ArchiveLimits = {
  maxBytes: 100 * 1024 * 1024,
  maxFileBytes: 5 * 1024 * 1024,
  maxEntries: 10_000,
};

/**
 * Looks through a gzipped tar without unpacking it: bounded in size, number and paths, and plain files and folders only.
 *
 * @throws RenderError, never retriable, that names the entry at fault.
 */
export async function checkArchive(
  archive: Uint8Array,
  what: string,
  limits: ArchiveLimits = DEFAULT_LIMITS,
): Promise<void> {
  const unpack = extract();
  const gunzip = createGunzip();
  gunzip.on("error", (error) => unpack.destroy(error));
  gunzip.pipe(unpack);
  gunzip.end(archive);
  let bytes = 0;
  let entries = 0;
  try {
    for await (const entry of unpack) {
      const problem =
        entryProblem(entry.header, limits) ??
        (++entries > limits.maxEntries ? `holds more than ${limits.maxEntries} entries` : undefined);
      if (problem !== undefined) throw refused(what, problem);
      for await (const chunk of entry as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > limits.maxBytes) throw refused(what, `unpacks to more than ${limits.maxBytes} bytes`);
      }
    }
  } catch (cause) {
    if (cause instanceof RenderError) throw cause;
    throw new RenderError(`chart ${what} is not a gzipped tar archive: ${messageOf(cause)}`, {
      retriable: false,
      cause,
    });
  } finally {
    gunzip.destroy();
  }
  if (entries === 0) throw refused(what, "is empty");
}

function entryProblem({ name, type, size }: Header, limits: ArchiveLimits): string | undefined {
  if (type !== "file" && type !== "directory") return `holds ${name}, a ${String(type)}; only plain files are allowed`;
  if (name.startsWith("/") || name.split(/[\\/]/).includes(".."))
    return `holds ${name}, which leaves the chart's folder`;
  if ((size ?? 0) > limits.maxFileBytes)
    return `holds ${name} of ${String(size)} bytes; at most ${limits.maxFileBytes} are allowed`;
  return undefined;
}

function refused(what: string, why: string): RenderError {
  return new RenderError(`chart ${what} ${why}`, { retriable: false });
}
