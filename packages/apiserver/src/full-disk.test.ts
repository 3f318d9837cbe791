import { bodyText, never, seededRandom, silentLogger, VirtualClock } from "@fairlead/base";
import { expect, it } from "vitest";

import { startApiServer } from "./server.js";
import { CrashingFiles } from "./storage/crashing-files.fixtures.js";
import { openDiskStorage } from "./storage/disk.js";

it("refuses writes while the disk is full, answers reads, says so at /readyz, and recovers by itself (T4)", async () => {
  const files = new CrashingFiles(seededRandom(1));
  const storage = await openDiskStorage({ files, directory: "/data" });
  const server = await startApiServer({
    clock: new VirtualClock(),
    random: seededRandom(1),
    logger: silentLogger,
    storage,
  });
  const ask = async (method: string, path: string, body?: string): Promise<{ status: number; text: string }> => {
    const headers = { "content-type": "application/json" };
    const request = { method, path, headers, ...(body === undefined ? {} : { body }) };
    const answer = await server.transport()(request, never);
    return { status: answer.status, text: await bodyText(answer) };
  };
  const path = "/api/v1/namespaces/default/configmaps";
  const create = (name: string): ReturnType<typeof ask> =>
    ask("POST", path, JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }));
  expect((await create("before")).status).toBe(201);
  files.faults = { fails: ({ name }) => (name === "append" || name === "write" ? "DiskFull" : undefined) };
  const refused = await create("refused");
  expect(refused).toMatchObject({ status: 500, text: expect.stringContaining("the disk of /data is full") as string });
  expect((await ask("GET", `${path}/before`)).status).toBe(200);
  expect((await ask("GET", `${path}/refused`)).status).toBe(404);
  expect(await ask("GET", "/readyz")).toMatchObject({ status: 500 });
  expect((await ask("GET", "/livez")).status).toBe(200);
  files.faults = {};
  await expect.poll(async () => (await ask("GET", "/readyz")).status).toBe(200);
  expect((await create("refused")).status).toBe(201);
  await server.close();
});
