import { FairleadError } from "@fairlead/base";
import { systemClock } from "@fairlead/base/node";
import type { Client } from "@fairlead/client";
import { defaultRefusal, miniServiceName, POLICIES, type Policy } from "@fairlead/miniservice";
import { findPrograms, type Programs } from "@fairlead/miniservice/node";

import { Progress } from "../output/progress.js";
import { cacheDirectory, stateDirectory } from "../state-directory.js";
import { interruption, type Terminal } from "../terminal.js";
import { readInputs, type UpInputs } from "../up/inputs.js";
import { ensureRequest } from "../up/request.js";
import { startStack, type Stack } from "../up/stack.js";
import { failureOf, isUp, stallOf, viewOf } from "../up/view.js";
import { commandLogger } from "./logger.js";

export interface UpFlags {
  readonly chart?: string;
  readonly values?: string;
  readonly name: string;
  readonly once?: boolean;
  readonly policy?: "default" | "unrestricted" | "trusted";
  readonly dataDir?: string;
  readonly port: number;
}

const LOOK_MS = 150;
/** A simulated cluster that has not moved for so long will not move. */
const STALL_MS = 12_000;

/** `fairlead up`: brings a chart to Running on this machine. Returns the exit status. */
export async function upCommand(flags: UpFlags, terminal: Terminal): Promise<number> {
  const { signal, release } = interruption(terminal.signals);
  try {
    const inputs = await readInputs(flags);
    const progress = new Progress(terminal.stdout, () => systemClock.monotonic());
    const programs = await findPrograms({
      env: terminal.env,
      cacheDirectory: cacheDirectory(terminal.env),
      onProgress: (message) => progress.say(message),
      signal,
    });
    const state = stateDirectory(terminal.env);
    const kubeconfig = `${flags.dataDir ?? state}/kubeconfig`;
    progress.say(`starting API server, simulated cluster and MiniService operator`);
    const stack = await startStack({
      port: flags.port,
      kubeconfig,
      tokenFile: `${flags.dataDir ?? state}/token`,
      helm: programs.helm,
      policy: policyOf(flags, inputs, progress),
      logger: commandLogger(terminal),
      ...(flags.dataDir === undefined ? {} : { dataDirectory: flags.dataDir }),
    });
    try {
      return await bringUp(stack, {
        inputs,
        progress,
        programs,
        kubeconfig,
        once: flags.once === true,
        signal,
        terminal,
      });
    } finally {
      await stack.close();
    }
  } finally {
    release();
  }
}

interface Run {
  readonly inputs: UpInputs;
  readonly progress: Progress;
  readonly programs: Programs;
  readonly kubeconfig: string;
  readonly once: boolean;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
}

async function bringUp(stack: Stack, run: Run): Promise<number> {
  const { inputs, progress, once, signal } = run;
  const requestName = `sr-${inputs.name}`;
  progress.say(`API server at ${stack.server.url}`);
  const requested = await ensureRequest(stack.client, requestName, inputs, signal);
  progress.say(`ICMSRequest ${requestName} asks for chart ${inputs.chart.label}`);
  if (requested === "anew") progress.say(`it had failed before, and is made anew`);
  const result = await follow(stack.client, requestName, run);
  if (signal.aborted) return 130;
  if (result.kind === "failed") {
    run.terminal.stderr.write(`error: ${result.why}\n`);
    if (once) return 1;
  } else {
    progress.say(`MiniService ${miniServiceName(requestName)} is Running, the function is ACTIVE`);
    if (once) return 0;
  }
  progress.hints(hints(run, requestName));
  await show(stack.client, requestName, run);
  progress.say("stopping");
  return 0;
}

/** Shows what changes, until somebody has had enough. */
async function show(client: Client, requestName: string, { progress, signal }: Run): Promise<void> {
  let last = (await viewOf(client, requestName)).signature;
  while (!signal.aborted) {
    await systemClock.sleep(LOOK_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    const view = await viewOf(client, requestName);
    if (view.signature !== last) progress.show(view);
    last = view.signature;
  }
}

type Followed = { readonly kind: "up" } | { readonly kind: "failed"; readonly why: string };

/** Shows what happens until the service is up, has failed, or (in a hurry) has stopped moving. */
async function follow(client: Client, requestName: string, { progress, once, signal }: Run): Promise<Followed> {
  let last = "";
  let furthest = "";
  let mostReady = -1;
  let since = systemClock.monotonic();
  while (!signal.aborted) {
    const view = await viewOf(client, requestName);
    if (view.signature !== last) progress.show(view);
    last = view.signature;
    // Going to and fro is no progress: only another phase, or more pods ready than ever before.
    const step = `${view.phase} ${view.functionState}`;
    if (step !== furthest || view.pods.ready > mostReady) since = systemClock.monotonic();
    furthest = step;
    mostReady = Math.max(mostReady, view.pods.ready);
    if (isUp(view)) return { kind: "up" };
    const failure = failureOf(view, requestName);
    if (failure !== undefined) return { kind: "failed", why: failure };
    if (once && systemClock.monotonic() - since > STALL_MS) return { kind: "failed", why: stallOf(view, requestName) };
    await systemClock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
  return { kind: "failed", why: "interrupted" };
}

/** The policy that was asked for; a chart that is trusted is told once what the default policy would refuse of it. */
function policyOf(flags: UpFlags, inputs: UpInputs, progress: Progress): Policy {
  const name = flags.policy ?? (inputs.chart.sample ? "default" : "trusted");
  const policy = POLICIES.get(name);
  if (policy === undefined)
    throw new FairleadError("PolicyUnknown", `--policy ${name}: known are ${[...POLICIES.keys()].join(", ")}`);
  if (name !== "trusted") return policy;
  return {
    name: policy.name,
    admit: (objects, where) => {
      const admitted = policy.admit(objects, where);
      const refusal = admitted.errors.length > 0 ? undefined : defaultRefusal(objects, where);
      if (refusal !== undefined) {
        progress.once(
          `policy trusted: everything of ${where.namespace} is applied; policy default would refuse: ${refusal}`,
        );
      }
      return admitted;
    },
  };
}

function hints({ programs, kubeconfig, terminal }: Run, requestName: string): readonly string[] {
  const onPath = (terminal.env["PATH"] ?? "").split(":").some((folder) => programs.kubectl === `${folder}/kubectl`);
  const kubectl = onPath || programs.kubectl === undefined ? "kubectl" : programs.kubectl;
  return [
    `export KUBECONFIG=${kubeconfig}`,
    `${kubectl} get miniservices`,
    `${kubectl} -n ${requestName} get pods,services -o wide`,
  ];
}
