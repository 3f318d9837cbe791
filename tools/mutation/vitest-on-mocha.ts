import { JestAsymmetricMatchers, JestChaiExpect, JestExtend } from "@vitest/expect";
import * as chai from "chai";
import fc from "fast-check";

/*
 * What the tests take from vitest, on mocha. Mocha runs every mutant in one process where vitest starts a worker for
 * each, and that is the difference between minutes and an hour. Only what the tests of `packages/ssa` use is here.
 */

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export const expect: Chai.ExpectStatic = chai.expect;

/* One seed, so that a mutant is killed or survives in every run alike; and no shrinking, which only people need. */
fc.configureGlobal({ seed: 1, numRuns: 20, endOnFailure: true });

type Body = (...args: readonly unknown[]) => unknown;
type Declare = (title: string, body: () => unknown) => void;
type Table = (rows: readonly unknown[]) => (title: string, body: Body) => void;

/** What mocha defines for the files that it runs. */
const mocha = globalThis as unknown as {
  readonly it: (title: string, body: () => unknown) => void;
  readonly describe: (title: string, body: () => void) => void;
};

let count = 0;

/** Stryker tells tests apart by their titles, so each gets a number. */
const test: Declare = (title, body) => {
  mocha.it(`${title} #${++count}`, () => body());
};

const suite: Declare = (title, body) => {
  mocha.describe(title, () => void body());
};

function each(declare: Declare): Table {
  return (rows) => (title, body) => {
    for (const row of rows) declare(title, () => body(...((Array.isArray(row) ? row : [row]) as readonly unknown[])));
  };
}

export const it: Declare & { readonly each: Table } = Object.assign(test, { each: each(test) });
export const describe: Declare & { readonly each: Table } = Object.assign(suite, { each: each(suite) });
