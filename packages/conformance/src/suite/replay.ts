import { getOwn, getPath, isObject, messageOf, type JsonValue } from "@fairlead/base";

import { differences } from "./differences.js";
import { digest, trimmed } from "./digest.js";
import type { Case, Step } from "./recordings.js";
import { isAddress } from "./normalize.js";
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
  const text =
    body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(sendable(body, symbols));
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

/**
 * A body that was read before it was sent back holds, unlike an answer, the very address that the recorded server gave
 * to a Service; this run's takes its place.
 */
function sendable(body: JsonValue, symbols: Symbols): JsonValue {
  const uid = getPath(body, "metadata", "uid");
  const spec = getPath(body, "spec");
  const address = typeof uid === "string" ? symbols.address(uid) : undefined;
  if (address === undefined || !isObject(body) || !isObject(spec) || !isAddress(getOwn(spec, "clusterIP"))) return body;
  return { ...body, spec: { ...spec, clusterIP: address, clusterIPs: [address] } };
}

async function answered(compare: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await compare();
  } catch (error) {
    return [`no answer: ${messageOf(error)}`];
  }
}
