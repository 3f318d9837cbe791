import { never } from "@fairlead/base";

import { casesOf, recordings, type Case } from "./suite/recordings.js";
import { replayCase } from "./suite/replay.js";
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
  const target = await (options.target ?? embeddedTarget)();
  let [passed, failed, excused] = [0, 0, 0];
  try {
    for (const one of cases) {
      const outcome = await replayCase(target, one, never);
      if (outcome.kind === "passed") {
        if (one.setup !== true) passed += 1;
        continue;
      }
      const counts = one.setup !== true && options.counts(name, one.id);
      if (counts) failed += 1;
      else if (one.setup !== true) excused += 1;
      const said = one.setup === true ? "set-up" : counts ? "not ok" : "not yet";
      options.print(`${said} ${one.id} (${one.title}) step ${String(outcome.step)} ${outcome.request}`);
      for (const difference of outcome.differences) options.print(`    ${difference}`);
    }
  } finally {
    await target.close();
  }
  if (excused > 0) options.print(`${name}: ${String(excused)} differ, and need not agree yet`);
  return { passed, failed };
}
