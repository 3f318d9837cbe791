import { EventEmitter } from "node:events";
import { createServer } from "node:net";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { run } from "./program.js";
import type { Terminal } from "./terminal.js";

let folder: string;
const running: Session[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-cli-"));
});
afterEach(async () => {
  for (const session of running.splice(0)) await session.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A command under way, with what it has written so far. */
class Session {
  out = "";
  err = "";
  readonly status: Promise<number>;
  readonly #signals = new EventEmitter();

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const terminal: Terminal = {
      env: {
        XDG_STATE_HOME: folder,
        XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
        PATH: "",
        ...env,
      },
      stdout: { write: (text) => void (this.out += text) },
      stderr: { write: (text) => void (this.err += text) },
      signals: this.#signals,
    };
    this.status = run(args, terminal);
    running.push(this);
  }

  /** The line that `server` prints when it serves. */
  async ready(): Promise<{ readonly ready: true; readonly url: string; readonly kubeconfig: string }> {
    const ended = this.status.then((status) => Promise.reject(new Error(`ended with ${status}: ${this.err}`)));
    ended.catch(() => undefined);
    while (!this.out.includes("\n")) await Promise.race([new Promise((resolve) => setTimeout(resolve, 5)), ended]);
    return JSON.parse(this.out) as Awaited<ReturnType<Session["ready"]>>;
  }

  stop(signal: "SIGINT" | "SIGTERM" = "SIGINT"): Promise<number> {
    this.#signals.emit(signal);
    return this.status;
  }
}

interface Answer {
  readonly status: number;
  readonly body: { readonly [field: string]: unknown };
}

/** Asks as kubectl would, trusting only the authority of the kubeconfig. */
async function ask(
  kubeconfig: string,
  path: string,
  options: { readonly method?: string; readonly body?: unknown; readonly token?: string } = {},
): Promise<Answer> {
  const text = await readFile(kubeconfig, "utf8");
  const field = (name: string): string => new RegExp(`${name}: "?([^"\\s]+)`).exec(text)?.[1] ?? "";
  const token = options.token ?? field("token");
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = request(
      `${field("server")}${path}`,
      {
        method: options.method ?? "GET",
        headers,
        ca: Buffer.from(field("certificate-authority-data"), "base64"),
        agent: false,
      },
      (response) => {
        let body = "";
        response.on("data", (chunk: Buffer) => void (body += chunk.toString()));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(body) as Answer["body"] }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(options.body === undefined ? undefined : JSON.stringify(options.body));
  });
}

const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "kept" }, data: { a: "b" } };

describe("fairlead server", () => {
  it("says once that it serves, and lets in whoever has the token and nobody else", async () => {
    const session = new Session(["server", "--controllers", "none"]);
    const ready = await session.ready();
    expect(Object.keys(ready)).toEqual(["ready", "url", "kubeconfig"]);
    expect(session.out.trim().split("\n")).toHaveLength(1);
    expect(await mode(ready.kubeconfig)).toBe("600");
    expect(await mode(join(folder, "fairlead", "token"))).toBe("600");
    expect((await ask(ready.kubeconfig, "/api/v1/namespaces")).status).toBe(200);
    const refused = await ask(ready.kubeconfig, "/api/v1/namespaces", { token: "guess" });
    expect(refused.body).toMatchObject({ kind: "Status", reason: "Unauthorized", code: 401 });
    const token = (await readFile(join(folder, "fairlead", "token"), "utf8")).trim();
    const who = await ask(ready.kubeconfig, "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      method: "POST",
      token,
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    });
    expect(who.body["status"]).toMatchObject({
      userInfo: { username: "admin", groups: expect.arrayContaining(["system:masters"]) as unknown },
    });
    expect(session.err).not.toContain(token);
  });

  it("leaves objects alone with --controllers none, and works on them without", async () => {
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    };
    for (const [controllers, sets] of [
      ["none", 0],
      ["deployment-controller", 1],
    ] as const) {
      const session = new Session(["server", "--controllers", controllers]);
      const { kubeconfig } = await session.ready();
      await ask(kubeconfig, "/apis/apps/v1/namespaces/default/deployments", { method: "POST", body: deployment });
      let found: readonly unknown[] = [];
      for (let i = 0; i < 100 && found.length < Math.max(sets, 1); i++) {
        found = (await ask(kubeconfig, "/apis/apps/v1/namespaces/default/replicasets")).body[
          "items"
        ] as readonly unknown[];
        if (sets === 0 && i > 10) break;
      }
      expect(found).toHaveLength(sets);
      expect(await session.stop()).toBe(0);
    }
  });

  it("finds everything as it was in its data folder, its token included", async () => {
    const data = join(folder, "data");
    const args = ["server", "--controllers", "none", "--data-dir", data];
    const first = new Session(args);
    const before = await first.ready();
    const created = await ask(before.kubeconfig, "/api/v1/namespaces/default/configmaps", {
      method: "POST",
      body: configMap,
    });
    expect(await first.stop("SIGTERM")).toBe(0);
    const second = new Session(args);
    const after = await second.ready();
    expect((await ask(after.kubeconfig, "/api/v1/namespaces/default/configmaps/kept")).body).toEqual(created.body);
  });

  it("writes a backup beside the running server, and makes a folder of it where nothing is", async () => {
    const args = ["server", "--controllers", "none", "--data-dir", join(folder, "data")];
    const first = new Session(args);
    const { kubeconfig } = await first.ready();
    const path = "/api/v1/namespaces/default/configmaps";
    const { body } = await ask(kubeconfig, path, { method: "POST", body: configMap });
    const [data, file] = [join(folder, "data"), join(folder, "backup")];
    const snapshot = new Session(["server", "snapshot", "--data-dir", data, "--to", file]);
    expect([await snapshot.status, snapshot.err]).toEqual([0, ""]);
    expect(JSON.parse(snapshot.out)).toMatchObject({ snapshot: file, objects: expect.any(Number) as number });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await first.stop();
    const refused = new Session(["server", "restore", "--from", file, "--data-dir", data]);
    expect([await refused.status, refused.err]).toEqual([1, expect.stringMatching(/data\/storage is not empty/)]);
    const restore = new Session(["server", "restore", "--from", file, "--data-dir", join(folder, "other")]);
    expect([await restore.status, restore.err]).toEqual([0, ""]);
    const second = new Session(["server", "--controllers", "none", "--data-dir", join(folder, "other")]);
    const after = await second.ready();
    expect((await ask(after.kubeconfig, `${path}/kept`)).body).toEqual(body);
  });

  it("lets one server have a data folder at a time", async () => {
    const args = ["server", "--controllers", "none", "--data-dir", join(folder, "data")];
    await new Session(args).ready();
    const second = new Session([...args, "--kubeconfig", join(folder, "other"), "--token-file", join(folder, "t")]);
    expect(await second.status).toBe(1);
    expect(second.err).toMatch(
      /^error: .*data is in use by process \d+: stop it, or choose another folder with --data-dir\n$/,
    );
  });

  it("names a port that is in use", async () => {
    const blocker = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => blocker.once("listening", resolve));
    const { port } = blocker.address() as { readonly port: number };
    const session = new Session(["server", "--port", String(port)]);
    expect(await session.status).toBe(1);
    expect(session.err).toMatch(new RegExp(`^error: .*${port}.* in use.*\n$`));
    expect(session.out).toBe("");
    blocker.close();
  });

  it("knows its controllers by name", async () => {
    const session = new Session(["server", "--controllers", "*,deploiment"]);
    expect(await session.status).toBe(1);
    expect(session.err).toMatch(/^error: no controller is named deploiment; known are .*deployment-controller/);
    expect(session.out).toBe("");
  });

  it.each([
    ["a port that is none", ["server", "--port", "http"], /a port is a number from 0 to 65535/],
    ["a data folder in memory", ["server", "--memory", "--data-dir", "x"], /cannot be used with/],
    ["an option that it does not have", ["server", "--prot", "1"], /unknown option '--prot'.*\n.*Did you mean --port/s],
    ["a command that it does not have", ["serve"], /unknown command 'serve'/],
  ])("refuses %s as wrong usage", async (_what, args, message) => {
    const session = new Session(args);
    expect(await session.status).toBe(2);
    expect(session.err).toMatch(message);
  });
});

describe("fairlead up refuses, with one line and before anything starts,", () => {
  it.each([
    ["a chart that is not there", ["--chart", "nowhere.tgz"], /--chart nowhere.tgz: .*nowhere\.tgz does not exist/],
    [
      "a protocol that it does not know",
      ["--chart", "ftp://h/c.tgz"],
      /--chart ftp:\/\/h\/c\.tgz: charts come from a file, a folder, https:\/\/ or oci:\/\//,
    ],
    ["values that are not there", ["--values", "nowhere.yaml"], /--values nowhere.yaml: cannot be read \(ENOENT\)/],
    ["a name that is none", ["--name", "Foo_"], /--name Foo_: a name has lower-case letters/],
  ])("%s", async (_what, args, message) => {
    const session = new Session(["up", "--once", ...args]);
    expect(await session.status).toBe(1);
    expect(session.err).toMatch(message);
    expect(session.err.trim().split("\n")).toHaveLength(1);
    expect(session.out).toBe("");
  });

  it("a folder without a chart, and values that are no map", async () => {
    const empty = join(folder, "empty");
    await mkdir(empty);
    const chart = new Session(["up", "--once", "--chart", empty]);
    expect(await chart.status).toBe(1);
    expect(chart.err).toMatch(/has no Chart\.yaml/);
    const values = join(folder, "values.yaml");
    for (const text of ["- a\n", "a: [\n"]) {
      await writeFile(values, text);
      const session = new Session(["up", "--once", "--values", values]);
      expect(await session.status).toBe(1);
      expect(session.err).toMatch(/--values .*values\.yaml: .*values are a YAML map/);
    }
  });
});

/** With the real helm: `.ci/run` provides it. */
describe.skipIf(process.env["FAIRLEAD_HELM"] !== "1")("fairlead up", () => {
  const path = { PATH: process.env["PATH"] ?? "" };

  it("brings the sample to Running", async () => {
    const session = new Session(["up", "--once"], path);
    expect([await session.status, session.err]).toEqual([0, ""]);
    expect(session.out).toMatch(/MiniService sr-sample-miniservice is Running, the function is ACTIVE/);
  });

  it("names the object that keeps a chart from running", async () => {
    const chart = join(folder, "chart");
    await mkdir(join(chart, "templates"), { recursive: true });
    await writeFile(join(chart, "Chart.yaml"), "apiVersion: v2\nname: c\nversion: 0.1.0\n");
    await writeFile(
      join(chart, "templates", "pod.yaml"),
      "apiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec: { containers: [{ name: c, image: i }], volumes: [{ name: v, secret: { secretName: keys } }] }\n",
    );
    const session = new Session(["up", "--once", "--chart", chart, "--name", "held"], path);
    expect(await session.status).toBe(1);
    expect(session.err).toMatch(/^error: .*keys/);
  });
});
