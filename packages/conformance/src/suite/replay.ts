import { messageOf } from "@fairlead/base";

import { differences } from "./differences.js";
import { digest, trimmed } from "./digest.js";
import type { Case, Step } from "./recordings.js";
import { Symbols } from "./symbols.js";
import type { Target } from "./target.js";

/** How a case went. */
export type Outcome =
  | { readonly kind: "passed" }
  | {
      readonly kind: "failed";
      readonly step: number;
      readonly request: string;
      readonly differences: readonly string[];
    };

/** An answer that may come late is asked for again until then. */
const EVENTUALLY_MS = 15_000;
const AGAIN_MS = 100;

/** Plays the steps of a case until one answer differs from the recorded one. */
export async function replayCase(target: Target, recorded: Case, signal: AbortSignal): Promise<Outcome> {
  const symbols = new Symbols();
  for (const [i, step] of recorded.steps.entries()) {
    if (step.pauseMs !== undefined) await target.clock.sleep(step.pauseMs, signal);
    const found = await replayStep(target, step, { symbols, signal });
    const request = `${step.request.method} ${step.request.path}`;
    if (found.length > 0) return { kind: "failed", step: i + 1, request, differences: found };
  }
  return { kind: "passed" };
}

interface Run {
  readonly symbols: Symbols;
  readonly signal: AbortSignal;
}

async function replayStep(target: Target, step: Step, { symbols, signal }: Run): Promise<readonly string[]> {
  const { body, ...rest } = step.request;
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const wire = {
    ...rest,
    path: symbols.expand(rest.path),
    ...(text === undefined ? {} : { body: symbols.expand(text) }),
  };
  const watch = /[?&]watch=(true|1)/.test(wire.path);
  const until = target.clock.monotonic() + (step.eventually === undefined ? 0 : EVENTUALLY_MS);
  while (true) {
    const trial = symbols.clone();
    const found = await answered(async () => {
      const answer = await target.send(wire, signal);
      return differences(step.response, trimmed(digest(answer, trial, { watch }), step));
    });
    if (found.length === 0 || target.clock.monotonic() >= until) {
      symbols.adopt(trial);
      return found;
    }
    await target.clock.sleep(AGAIN_MS, signal);
  }
}

async function answered(compare: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await compare();
  } catch (error) {
    return [`no answer: ${messageOf(error)}`];
  }
}
