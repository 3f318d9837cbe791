// A table of where a regular expression goes from what it has reached, filled in as texts ask for it: what a text costs
// is one look-up for most of its characters, however many steps the expression is at (RE2: the lazy DFA).

/** What an expression has reached between two characters, and the kind of the first of them. */
export interface Situation {
  /** Steps, each once. */
  readonly reached: readonly number[];
  readonly before: number;
}

/** Where an expression goes from a situation by a character, or -1 for the end of the text; undefined when it matches. */
export type Move = (situation: Situation, point: number) => Situation | undefined;

interface Entry {
  readonly situation: Situation;
  /** By character below 128. */
  readonly next: (Entry | Answer | undefined)[];
  end: Answer | undefined;
}

type Answer = "match" | "none";

const MOST_ENTRIES = 1000;
/** How often the table is begun anew for one text before it is given up: then expressions are walked without it. */
const MOST_RESTARTS = 3;
const ASCII = 128;

export class TransitionTable {
  readonly #move: Move;
  readonly #start: Situation;
  readonly #entries = new Map<string, Entry>();

  /** @param start - At the beginning of a text. */
  constructor(start: Situation, move: Move) {
    this.#start = start;
    this.#move = move;
  }

  /** Whether some part of a text matches. */
  test(text: string): boolean {
    let entry = this.#entryOf(this.#start);
    let restarts = 0;
    for (let at = 0; at < text.length; at++) {
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
      if (this.#entries.size >= MOST_ENTRIES) {
        this.#entries.clear();
        if (++restarts > MOST_RESTARTS) return this.#walk(moved, text, at + 1);
      }
      const next = moved === undefined ? "match" : this.#entryOf(moved);
      if (unit < ASCII) entry.next[unit] = next;
      if (next === "match") return true;
      entry = next;
    }
    entry.end ??= this.#move(entry.situation, -1) === undefined ? "match" : "none";
    return entry.end === "match";
  }

  #walk(from: Situation | undefined, text: string, start: number): boolean {
    let situation = from;
    for (let at = start; situation !== undefined; at++) {
      const point = at < text.length ? (text.codePointAt(at) as number) : -1;
      situation = this.#move(situation, point);
      if (point < 0) break;
      if (point > 0xffff) at++;
    }
    return situation === undefined;
  }

  #entryOf(situation: Situation): Entry {
    const key = `${situation.before} ${situation.reached.join()}`;
    let entry = this.#entries.get(key);
    if (entry === undefined)
      this.#entries.set(key, (entry = { situation, next: new Array<undefined>(ASCII), end: undefined }));
    return entry;
  }
}
