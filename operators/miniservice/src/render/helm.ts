import { spawn } from "node:child_process";
import { mkdtemp, rm, stat, writeFile, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isObject, messageOf, stringifyJson, type JsonObject, type Clock } from "@fairlead/base";
import { parseYamlDocuments } from "@fairlead/apimachinery/yaml";

import { RELEASE_NAME } from "../api.js";
import { checkArchive } from "../chart/archive.js";
import { fetchChart, type Fetch } from "../chart/fetch.js";
import { chartSource } from "../chart/source.js";
import { RenderError, redactedUrl, type RenderInput, type Renderer, type Rendering } from "./renderer.js";

export interface HelmOptions {
  /** Path of the `helm` program, 3.14 or newer. */
  readonly program: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Whether `file://` charts are rendered. */
  readonly allowLocal: boolean;
  /** Whether the chart's `crds/` folder is part of the render. */
  readonly includeDefinitions: boolean;
  /** 60 s by default. */
  readonly timeoutMs?: number;
  /** 64 MiB by default. */
  readonly maxOutputBytes?: number;
  /** Address space of the program; 4 GiB by default. */
  readonly maxMemoryBytes?: number;
}

/**
 * Renders with the real `helm template`, in a folder of its own that is removed afterwards. We fetch the chart; helm gets
 * no credentials, no cluster, no plug-ins and no way to the network, and is bounded in time, output and memory.
 */
export function helmRenderer(options: HelmOptions): Renderer {
  return {
    render: async (input, signal) => {
      const folder = await mkdtemp(join(tmpdir(), "fairlead-render-"));
      try {
        const chart = await chartPath(input, folder, { options, signal });
        if (typeof chart !== "string") return chart;
        await writeFile(join(folder, "values.json"), stringifyJson(input.values), { mode: 0o600 });
        return await template(chart, folder, { input, options, signal });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** The chart on disk: where it is already, or fetched into the folder. */
async function chartPath(
  input: RenderInput,
  folder: string,
  { options, signal }: { readonly options: HelmOptions; readonly signal: AbortSignal },
): Promise<string | Rendering> {
  const source = chartSource(input.url, { allowLocal: options.allowLocal });
  if (source.kind === "local") {
    const found = await stat(source.path).catch(() => undefined);
    if (found === undefined) return { kind: "invalid", errors: [`chart ${source.path} does not exist`] };
    if (found.isFile()) await checkArchive(await readFile(source.path), source.path);
    return source.path;
  }
  const archive = await fetchChart(source, { fetch: options.fetch, auth: input.auth, signal });
  await checkArchive(archive, redactedUrl(input.url));
  const path = join(folder, "chart.tgz");
  await writeFile(path, archive, { mode: 0o600 });
  return path;
}

interface Run {
  readonly input: RenderInput;
  readonly options: HelmOptions;
  readonly signal: AbortSignal;
}

async function template(chart: string, folder: string, { input, options, signal }: Run): Promise<Rendering> {
  const args = [
    "template",
    RELEASE_NAME,
    chart,
    "--namespace",
    input.namespace,
    "--values",
    join(folder, "values.json"),
    "--no-hooks",
    "--skip-tests",
    "--kube-version",
    input.kubeVersion,
  ];
  if (options.includeDefinitions) args.push("--include-crds");
  for (const version of input.apiVersions) args.push("--api-versions", version);
  const { code, stdout, stderr } = await run(options, args, folder, signal);
  if (code !== 0) return { kind: "invalid", errors: [`run helm template: ${cleaned(stderr, folder)}`] };
  try {
    const documents = parseYamlDocuments(stdout).map((d) => d.value);
    return {
      kind: "rendered",
      objects: documents
        .filter((d): d is JsonObject => isObject(d) && d["apiVersion"] !== undefined && d["kind"] !== undefined)
        .flatMap(items),
    };
  } catch (error) {
    return { kind: "invalid", errors: [`the chart renders what is not YAML: ${messageOf(error)}`] };
  }
}

/** The items of a List, or the object itself. */
function items(object: JsonObject): readonly JsonObject[] {
  const list = object["items"];
  return object["kind"] === "List" && Array.isArray(list)
    ? list.filter((o): o is JsonObject => isObject(o)).flatMap(items)
    : [object];
}

/** Helm's error without its prefix, its advice about debugging and our temporary names. */
function cleaned(stderr: string, folder: string): string {
  const text = stderr
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("Use --debug") && !line.startsWith("level="))
    .join("\n")
    .replace(/^Error: /, "")
    .replaceAll(`${folder}/`, "");
  return text === "" ? "helm failed and said nothing" : text.slice(0, 4000);
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const UNREACHABLE = "http://127.0.0.1:9";

/** Runs helm to its end, or ends it. @throws RenderError when it could not run, or went over a bound */
function run(options: HelmOptions, args: readonly string[], folder: string, signal: AbortSignal): Promise<Ended> {
  const { timeoutMs = 60_000, maxOutputBytes = 64 << 20, maxMemoryBytes = 4 * 2 ** 30 } = options;
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: folder,
    HELM_CACHE_HOME: folder,
    HELM_CONFIG_HOME: folder,
    HELM_DATA_HOME: folder,
    HELM_PLUGINS: folder,
    KUBECONFIG: "/dev/null",
    HTTP_PROXY: UNREACHABLE,
    HTTPS_PROXY: UNREACHABLE,
    GOMEMLIMIT: String(Math.floor(maxMemoryBytes / 4)),
  };
  return new Promise((resolve, reject) => {
    const limited = [
      "-c",
      `ulimit -v ${Math.floor(maxMemoryBytes / 1024)} 2>/dev/null; exec "$0" "$@"`,
      options.program,
      ...args,
    ];
    const child = spawn("/bin/sh", limited, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let stopped: RenderError | undefined;
    const stop = (why: string, retriable: boolean): void => {
      stopped ??= new RenderError(why, { retriable });
      if (child.pid !== undefined) {
        try {
          process.kill(-child.pid, "SIGKILL");
        } catch {
          child.kill("SIGKILL");
        }
      }
    };
    const disarm = options.clock.schedule(timeoutMs, () =>
      stop(`helm template took longer than ${timeoutMs} ms and was stopped`, false),
    );
    const onAbort = (): void => stop("rendering was stopped", true);
    signal.addEventListener("abort", onAbort, { once: true });
    const stdout = collector(maxOutputBytes, () =>
      stop(`helm template printed more than ${maxOutputBytes} bytes and was stopped`, false),
    );
    const stderr = collector(1 << 20, () => undefined);
    child.stdout.on("data", stdout.add);
    child.stderr.on("data", stderr.add);
    const end = (finish: () => void): void => {
      disarm();
      signal.removeEventListener("abort", onAbort);
      finish();
    };
    child.on("error", (cause) =>
      end(() => reject(new RenderError(`cannot run helm: ${messageOf(cause)}`, { retriable: true, cause }))),
    );
    child.on("close", (code) => {
      end(() => {
        if (signal.aborted) reject(signal.reason as Error);
        else if (stopped !== undefined) reject(stopped);
        else resolve({ code: code ?? 1, stdout: stdout.text(), stderr: stderr.text() });
      });
    });
  });
}

function collector(
  limit: number,
  onFull: () => void,
): { readonly add: (chunk: Buffer) => void; readonly text: () => string } {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add: (chunk) => {
      size += chunk.length;
      if (size > limit) onFull();
      else chunks.push(chunk);
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}
