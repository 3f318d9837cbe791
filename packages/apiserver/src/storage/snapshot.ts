import type { Files } from "@fairlead/base";

import { encodeMeta, encodeWrite, FORMAT } from "./lines.js";
import type { Image, PersistedWrite } from "./memory.js";

const CHUNK = 1 << 20;

/**
 * Writes an image as a whole file: under another name first, which it gives up when every byte is on the disk. The name
 * is durable once its folder is synced.
 *
 * @returns its bytes
 */
export async function writeSnapshot(
  files: Files,
  { path, image, generation }: { readonly path: string; readonly image: Image; readonly generation: number },
): Promise<number> {
  const temporary = `${path}.tmp`;
  await files.remove(temporary);
  try {
    const file = await files.openAppend(temporary);
    let bytes = 0;
    try {
      for (const chunk of chunks(image, generation)) {
        await file.append(chunk);
        bytes += chunk.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(temporary, path);
    return bytes;
  } catch (error) {
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
}

function* chunks(image: Image, snapshot: number): Generator<Buffer> {
  const { compacted, revision } = image;
  let chunk = encodeMeta({ format: FORMAT, snapshot, compacted });
  let lines = 0;
  for (const write of writes(image)) {
    chunk += encodeWrite(write);
    lines++;
    if (chunk.length < CHUNK) continue;
    yield Buffer.from(chunk);
    chunk = "";
  }
  yield Buffer.from(chunk + encodeMeta({ end: true, lines, revision }));
}

function* writes({ base, events }: Image): Generator<PersistedWrite> {
  for (const [collection, records] of base)
    for (const { key, revision, text } of records.values()) yield { collection, key, revision, text };
  for (const { type, collection, key, revision, record } of events)
    yield { collection, key, revision, text: type === "DELETED" ? undefined : record.text };
}
