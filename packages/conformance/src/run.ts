import { never } from "@fairlead/base";

import { casesOf, recordings, type Case } from "./suite/recordings.js";
import { replayCase, type Outcome } from "./suite/replay.js";
import type { Target } from "./suite/target.js";
import { embeddedTarget } from "./targets/embedded.js";

/** Whether a case is in a list; a case belongs to the recording that it stands in. */
export type Choice = (recording: string, id: string) => boolean;

export interface SuiteOptions {
  /** Beginnings of names; none means all. */
  readonly recordings: readonly string[];
  /** The beginning of the ids to play. */
  readonly only: string;
  /** Which cases are played. */
  readonly chosen: Choice;
  /** Which of those that are played count when they fail; the others are only reported. */
  readonly counts: Choice;
  readonly print: (line: string) => void;
  /** A fresh server for one recording; the embedded one by default. */
  readonly target?: () => Promise<Target>;
}

export interface Totals {
  readonly passed: number;
  readonly failed: number;
}

/** Plays recordings one after the other, each against a fresh server, and prints what differs and the totals. */
export async function runSuite(options: SuiteOptions): Promise<Totals> {
  const names = recordings().filter(
    (name) => options.recordings.length === 0 || options.recordings.some((prefix) => name.startsWith(prefix)),
  );
  if (names.length === 0) throw new RangeError(`no recording begins so; there are ${recordings().join(", ")}`);
  let totals: Totals = { passed: 0, failed: 0 };
  for (const name of names) {
    const cases = casesOf(name).filter(
      ({ setup, id }) => setup === true || (id.startsWith(options.only) && options.chosen(name, id)),
    );
    if (cases.every(({ setup }) => setup === true)) continue;
    const { passed, failed } = await runRecording(name, cases, options);
    options.print(`${name}: ${String(passed)} passed, ${String(failed)} failed`);
    totals = { passed: totals.passed + passed, failed: totals.failed + failed };
  }
  if (totals.passed + totals.failed === 0)
    throw new RangeError(`no case was chosen; an id begins like ssa-A01 or crd-cel`);
  options.print(`${String(totals.passed)} passed, ${String(totals.failed)} failed`);
  return totals;
}

async function runRecording(name: string, cases: readonly Case[], options: SuiteOptions): Promise<Totals> {
  let [passed, failed, excused] = [0, 0, 0];
  for (const [one, outcome] of await play(cases, options)) {
    if (one.setup === true) {
      if (outcome.kind === "failed") say(options, "set-up", one, outcome);
    } else if (outcome.kind === "passed") passed += 1;
    else if (!options.counts(name, one.id)) {
      excused += 1;
      say(options, "not yet", one, outcome);
    } else if (await passesAlone(one, cases, options)) {
      passed += 1;
      say(options, "second try", one, outcome);
    } else {
      failed += 1;
      say(options, "not ok", one, outcome);
    }
  }
  if (excused > 0) options.print(`${name}: ${String(excused)} differ, and need not agree yet`);
  return { passed, failed };
}

/** Plays cases in their order against one fresh server. */
async function play(
  cases: readonly Case[],
  { target: start = embeddedTarget }: SuiteOptions,
): Promise<readonly (readonly [Case, Outcome])[]> {
  const target = await start();
  const played: (readonly [Case, Outcome])[] = [];
  try {
    for (const one of cases) played.push([one, await replayCase(target, one, never)]);
  } finally {
    await target.close();
  }
  return played;
}

/**
 * Whether a case that failed passes by itself: the recorder was as quick as its machine, and what depends on that (two
 * writes in one second, a watch that ends in time) is no fault of the server's on a machine that was busy just then.
 */
async function passesAlone(one: Case, cases: readonly Case[], options: SuiteOptions): Promise<boolean> {
  const setUp = cases.filter(({ setup }) => setup === true);
  const again = await play([...setUp, one], options);
  return again.at(-1)?.[1].kind === "passed";
}

function say(
  { print }: SuiteOptions,
  verdict: string,
  one: Case,
  outcome: Outcome & { readonly kind: "failed" },
): void {
  print(`${verdict} ${one.id} (${one.title}) step ${String(outcome.step)} ${outcome.request}`);
  for (const difference of outcome.differences) print(`    ${difference}`);
}
