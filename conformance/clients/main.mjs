#!/usr/bin/env node
// Foreign clients against the embedded server: the recorded sessions of kubectl and helm, and programs that use other
// people's client libraries. See README.md beside this file.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { findPrograms } from "@fairlead/miniservice/node";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DATA = join(ROOT, "packages/conformance/data");
const SESSIONS = ["kubectl-apply", "kubectl-basics", "kubectl-change", "kubectl-crd", "helm", "controllers"];
const PROGRAMS = ["client-node", "fluent-client", "controller-runtime", "kube-rs"];

const USAGE = `usage: npm run conformance:clients -- [--only PREFIX] [NAME…]

Without names everything: the recorded sessions ${SESSIONS.join(", ")}, and the programs ${PROGRAMS.join(", ")}.
--only plays the sessions whose id begins so. Programs in Go and Rust are skipped where go or cargo is not on PATH.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", default: "" }, help: { type: "boolean" } },
});
const unknown = positionals.filter((name) => !SESSIONS.includes(name) && !PROGRAMS.includes(name));
if (values.help === true || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`error: nothing is called ${unknown.join(", ")}\n`);
  process.stdout.write(USAGE);
  process.exit(unknown.length > 0 ? 2 : 0);
}
const chosen = (name) => positionals.length === 0 || positionals.includes(name);

const totals = { passed: 0, failed: 0, skipped: 0 };
const scratch = mkdtempSync(join(tmpdir(), "clients-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

/** Runs a program to its end. Its output is shown, or returned when `quiet`. */
function run(command, args, { quiet = false, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", quiet ? "pipe" : "inherit", "inherit"], ...options });
    let text = "";
    child.stdout?.on("data", (chunk) => (text += chunk));
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code: code ?? signal, text }));
  });
}

/** A fresh `fairlead server` for as long as `body` runs. */
async function withServer(flags, body) {
  const folder = mkdtempSync(join(scratch, "server-"));
  const kubeconfig = join(folder, "kubeconfig");
  const main = join(ROOT, "apps/cli/dist/main.js");
  const files = ["--kubeconfig", kubeconfig, "--token-file", join(folder, "token")];
  const child = spawn(process.execPath, [main, "server", "--memory", ...files, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  try {
    await Promise.race([
      new Promise((resolve) => child.stdout.once("data", resolve)),
      ended.then(() => {
        throw new Error("the server did not start");
      }),
    ]);
    return await body(kubeconfig);
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

const CONTROLLED = ["--controllers", "*,-scheduler,-kubelet", "--disable-admission-plugins", "ServiceAccount"];

/** Plays recorded sessions and returns what failed of them. */
function play(programs, group, only) {
  return withServer(CONTROLLED, async (kubeconfig) => {
    const report = join(scratch, `${group}.json`);
    const paths = ["--kubeconfig", kubeconfig, "--kubectl", programs.kubectl, "--helm", programs.helm];
    const more = ["--charts", join(DATA, "charts"), "--any-template-hash", "--json", report, "--only", only];
    const file = join(DATA, "golden", `${group}.json`);
    const { text } = await run(process.execPath, [join(HERE, "golden.mjs"), ...paths, ...more, file], { quiet: true });
    return { text, results: JSON.parse(readFileSync(report, "utf8")) };
  });
}

/**
 * A session that fails is played once more by itself: what kubectl says when its own time is up is for its goroutines to
 * race for, and a machine that is busy is slower than the recorder was.
 */
async function sessions(programs, group) {
  const ids = JSON.parse(readFileSync(join(DATA, "golden", `${group}.json`), "utf8")).sessions.map(({ id }) => id);
  if (!ids.some((id) => id.startsWith(values.only))) return;
  const first = await play(programs, group, values.only);
  const failed = first.results.filter(({ failures }) => failures.length > 0).map(({ id }) => id);
  const again = failed.length === 0 ? undefined : await play(programs, group, failed.join(","));
  const still = (again?.results ?? []).filter(({ id, failures }) => failed.includes(id) && failures.length > 0);
  for (const id of failed) if (!still.some((one) => one.id === id)) console.log(`second try ${id}`);
  for (const { id, failures } of still)
    for (const { step, run: command, what } of failures)
      console.log(`not ok ${id} step ${step}: ${command.join(" ")}\n${what}`);
  const passed = first.results.length - still.length;
  console.log(`${group}: ${passed} passed, ${still.length} failed`);
  totals.passed += passed;
  totals.failed += still.length;
}

async function program(name, command, args, options = {}) {
  if (!(await exists(command))) {
    console.log(`${name}: skipped, ${command} is not on PATH`);
    totals.skipped++;
    return;
  }
  for (const [preparing, ...rest] of options.prepare ?? []) {
    const { code } = await run(preparing, rest, { cwd: options.cwd });
    if (code !== 0) {
      console.log(`${name}: failed to prepare (${preparing} ${rest.join(" ")})`);
      totals.failed++;
      return;
    }
  }
  const { code } = await withServer([], (kubeconfig) =>
    run(command, args, { cwd: options.cwd, env: { ...process.env, KUBECONFIG: kubeconfig } }),
  );
  totals[code === 0 ? "passed" : "failed"]++;
  console.log(`${name}: ${code === 0 ? "passed" : `failed (${code})`}`);
}

async function exists(command) {
  if (command === process.execPath) return true;
  const { code } = await run("sh", ["-c", `command -v ${command} >/dev/null`]);
  return code === 0;
}

if (SESSIONS.some(chosen)) {
  const programs = await findPrograms({
    // The sessions were recorded with the releases that Fairlead fetches; those on the PATH print other words.
    env: { ...process.env, PATH: "" },
    cacheDirectory: join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "fairlead"),
    onProgress: (message) => console.log(message),
    signal: new AbortController().signal,
  });
  if (programs.kubectl === undefined) throw new Error("kubectl could not be fetched");
  for (const group of SESSIONS.filter(chosen)) await sessions(programs, group);
}
const npm = join(HERE, "npm");
const install = [["npm", "ci", "--silent", "--no-audit", "--no-fund"]];
if (chosen("client-node"))
  await program("client-node", process.execPath, ["client-node.mjs"], { cwd: npm, prepare: install });
if (chosen("fluent-client"))
  await program("fluent-client", process.execPath, ["fluent-client.mjs"], {
    cwd: npm,
    prepare: chosen("client-node") ? [] : install,
  });
if (chosen("controller-runtime"))
  await program("controller-runtime", "go", ["run", "."], { cwd: join(HERE, "controller-runtime") });
if (chosen("kube-rs")) await program("kube-rs", "cargo", ["run", "--quiet"], { cwd: join(HERE, "kube-rs") });
console.log(
  `${totals.passed} passed, ${totals.failed} failed${totals.skipped === 0 ? "" : `, ${totals.skipped} skipped`}`,
);
process.exitCode = totals.failed === 0 ? 0 : 1;
