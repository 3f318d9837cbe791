import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../../apps/cli/dist/main.js", import.meta.url));

/** An answer of the server; undefined when there was none, and nobody knows whether the request was carried out. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A real `fairlead server` in a process of its own. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #url: URL;
  readonly #token: string;
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

  private constructor(child: ChildProcess, url: string, token: string) {
    this.#child = child;
    this.#url = new URL(url);
    this.#token = token;
  }

  static async start(folder: string): Promise<ServerProcess> {
    const files = [
      "--data-dir",
      `${folder}/data`,
      "--kubeconfig",
      `${folder}/kubeconfig`,
      "--token-file",
      `${folder}/token`,
    ];
    const child = spawn(process.execPath, [PROGRAM, "server", "--controllers", "none", ...files], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stderr.on("data", (data: Buffer) => (err += data.toString()));
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on("data", (data: Buffer) => {
        out += data.toString();
        if (out.includes("\n")) resolve((JSON.parse(out) as { readonly url: string }).url);
      });
      child.once("exit", (code) =>
        reject(new Error(`the server ended with ${String(code)} before it was ready: ${err}`)),
      );
    });
    return new ServerProcess(child, url, await readFile(`${folder}/token`, "utf8"));
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
    this.#agent.destroy();
  }

  /** One request. */
  ask(method: string, path: string, object?: object): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      let status = 0;
      let body = "";
      this.stream(method, path, object, {
        head: (code) => (status = code),
        data: (text) => (body += text),
        end: (whole) => resolve(whole ? { status, body } : undefined),
      });
    });
  }

  /** A request whose answer is told as it comes. */
  stream(method: string, path: string, object: object | undefined, on: Listener): void {
    const text = object === undefined ? undefined : JSON.stringify(object);
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    };
    let ended = false;
    const end = (whole: boolean): void => {
      if (!ended) on.end(whole);
      ended = true;
    };
    const { hostname, port } = this.#url;
    const sent = request({ method, path, hostname, port, headers, agent: this.#agent }, (response) => {
      on.head(response.statusCode ?? 0);
      response.setEncoding("utf8");
      response.on("data", (data: string) => on.data(data));
      response.on("end", () => end(response.complete));
      response.on("error", () => end(false));
      response.on("close", () => end(false));
    });
    sent.on("error", () => end(false));
    sent.end(text);
  }
}

export interface Listener {
  readonly head: (status: number) => void;
  readonly data: (text: string) => void;
  readonly end: (whole: boolean) => void;
}
