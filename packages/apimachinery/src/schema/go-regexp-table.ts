// Whether a regular expression matches: a table of where it goes from what it has reached, filled in as texts ask for it.
// What a text costs is one look-up for most of its characters, however many steps the expression is at (RE2: the lazy
// DFA).
import type { Sliced } from "@fairlead/base";
import { holds, kindOf, OP, type Program } from "./go-regexp-program.js";

/** What an expression has reached between two characters, and the kind of the first of them. */
interface Situation {
  /** Steps, each once. */
  readonly reached: readonly number[];
  readonly before: number;
}

interface Entry {
  readonly situation: Situation;
  /** By character below 128. */
  readonly next: (Entry | Answer | undefined)[];
  end: Answer | undefined;
}

type Answer = "match" | "none";

const MOST_ENTRIES = 1000;
/** Numbers that entries hold together at most. */
const MOST_REACHED = 1_000_000;
/** How often the table is begun anew for one text before it is given up: then expressions are walked without it. */
const MOST_RESTARTS = 3;
const ASCII = 128;
/** Characters between two stops. */
const STRIDE = 4096;

export class TransitionTable {
  readonly #program: Program;
  /** Per step, the last turn in which it was reached. */
  readonly #seen: Int32Array;
  readonly #entries = new Map<string, Entry>();
  #turn = 0;
  #reached = 0;
  #work = 0;

  constructor(program: Program) {
    this.#program = program;
    this.#seen = new Int32Array(program.size).fill(-1);
  }

  /** Whether some part of a text matches. */
  *test(text: string): Sliced<boolean> {
    let entry = this.#entryOf({ reached: [], before: -1 });
    let restarts = 0;
    for (let at = 0; at < text.length; at++) {
      if (at % STRIDE === 0 && at > 0) this.#work += STRIDE / 8;
      if (this.#work > 10_000) yield this.#takeWork();
      const unit = text.charCodeAt(at);
      const known = unit < ASCII ? entry.next[unit] : undefined;
      if (known === "match") return true;
      if (known !== undefined) {
        entry = known as Entry;
        continue;
      }
      const point = unit < 0xd800 ? unit : (text.codePointAt(at) as number);
      if (point > 0xffff) at++;
      const moved = this.#move(entry.situation, point);
      if (this.#entries.size >= MOST_ENTRIES || this.#reached > MOST_REACHED) {
        this.#entries.clear();
        this.#reached = 0;
        if (++restarts > MOST_RESTARTS) return yield* this.#walk(moved, text, at + 1);
      }
      const next = moved === undefined ? "match" : this.#entryOf(moved);
      if (unit < ASCII) entry.next[unit] = next;
      if (next === "match") return true;
      entry = next;
    }
    entry.end ??= this.#move(entry.situation, -1) === undefined ? "match" : "none";
    return entry.end === "match";
  }

  *#walk(from: Situation | undefined, text: string, start: number): Sliced<boolean> {
    let situation = from;
    for (let at = start; situation !== undefined; at++) {
      if (this.#work > 10_000) yield this.#takeWork();
      const point = at < text.length ? (text.codePointAt(at) as number) : -1;
      situation = this.#move(situation, point);
      if (point < 0) break;
      if (point > 0xffff) at++;
    }
    return situation === undefined;
  }

  #takeWork(): number {
    const work = this.#work;
    this.#work = 0;
    return work;
  }

  #entryOf(situation: Situation): Entry {
    const key = `${situation.before} ${situation.reached.join()}`;
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#reached += situation.reached.length;
      this.#entries.set(key, (entry = { situation, next: new Array<undefined>(ASCII), end: undefined }));
    }
    return entry;
  }

  /** Where the expression goes by a character, or -1 for the end of the text; undefined when it matches. */
  #move({ reached, before }: Situation, point: number): Situation | undefined {
    const program = this.#program;
    const waiting = this.#follow(reached, before, point);
    if (waiting === undefined) return undefined;
    const next: number[] = [];
    for (const index of waiting) if (program.test(index, point)) next.push(index + 1);
    this.#work += 10 + waiting.length + next.length * 3;
    return { reached: next.sort((a, b) => a - b), before: kindOf(point) };
  }

  /** The steps that wait for a character, from those that were reached; undefined when the text matches. */
  #follow(reached: readonly number[], before: number, point: number): readonly number[] | undefined {
    const [program, seen] = [this.#program, this.#seen];
    if (this.#turn === MOST_TURNS) seen.fill((this.#turn = 0) - 1);
    const turn = this.#turn++;
    const waiting: number[] = [];
    const open = [...reached, 0];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (seen[index] === turn) continue;
      seen[index] = turn;
      const op = program.op(index);
      if (op === OP.MATCH) return undefined;
      if (op === OP.CHARACTER) waiting.push(index);
      else if (op === OP.SPLIT) for (const next of program.split(index)) open.push(next);
      else if (holds(program.assertion(index), before, point)) open.push(index + 1);
    }
    return waiting;
  }
}

/** What `seen` can count to. */
const MOST_TURNS = 2 ** 31 - 1;
