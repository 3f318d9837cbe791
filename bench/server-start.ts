import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { systemClock } from "@fairlead/base/node";

import { median, rounded, type Bench } from "./figure.js";

const MAIN = fileURLToPath(new URL("../../apps/cli/dist/main.js", import.meta.url));
const RUNS = 9;

/** The built server, from exec to the first authenticated list answered, beside `node -e 0`; medians of paired runs. */
export const serverStart: Bench = {
  name: "server-start",
  async measure() {
    const [node, server]: [number[], number[]] = [[], []];
    await startServer(); // Once for the disk's cache.
    for (let i = 0; i < RUNS; i++) {
      node.push(await startNode());
      server.push(await startServer());
    }
    const [nodeMs, serverMs] = [median(node), median(server)];
    const detail = { nodeMs: rounded(nodeMs), serverMs: rounded(serverMs), runs: RUNS };
    return { name: "server-start", value: serverMs / nodeMs, unit: "ratio", goal: 8, better: "lower", detail };
  },
};

async function startNode(): Promise<number> {
  const began = systemClock.monotonic();
  const child = spawn(process.execPath, ["-e", "0"]);
  await new Promise((resolve, reject) => child.once("exit", resolve).once("error", reject));
  return systemClock.monotonic() - began;
}

async function startServer(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-bench-"));
  const began = systemClock.monotonic();
  const files = ["--kubeconfig", join(folder, "kubeconfig"), "--token-file", join(folder, "token")];
  const child = spawn(process.execPath, [MAIN, "server", ...files], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  try {
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout.once("data", (data: Buffer) => resolve(data.toString()));
      child
        .once("error", reject)
        .once("exit", (code) => reject(new Error(`the server ended with ${code ?? "a signal"}`)));
    });
    const { url } = JSON.parse(line) as { readonly url: string };
    await list(
      url,
      (await readFile(join(folder, "token"), "utf8")).trim(),
      await authority(join(folder, "kubeconfig")),
    );
    return systemClock.monotonic() - began;
  } finally {
    child.kill("SIGTERM");
    await exited;
    await rm(folder, { recursive: true, force: true });
  }
}

async function authority(kubeconfig: string): Promise<Buffer> {
  const data = /certificate-authority-data: "?([^"\s]+)/.exec(await readFile(kubeconfig, "utf8"))?.[1] ?? "";
  return Buffer.from(data, "base64");
}

function list(url: string, token: string, ca: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/api/v1/namespaces`,
      { ca, agent: false, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        response.resume();
        response.once("end", () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`HTTP ${response.statusCode ?? 0}`)),
        );
      },
    );
    sent.once("error", reject).end();
  });
}
