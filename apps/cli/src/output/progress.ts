import type { Output } from "../terminal.js";
import type { View } from "../up/view.js";

/** What `up` prints: one line for each change, with the time since its start. */
export class Progress {
  readonly #out: Output;
  readonly #now: () => number;
  readonly #start: number;
  readonly #said = new Set<string>();
  #conditions = new Map<string, string>();
  #line = "";

  /** @param now - Monotonic milliseconds. */
  constructor(out: Output, now: () => number) {
    this.#out = out;
    this.#now = now;
    this.#start = now();
  }

  say(text: string): void {
    this.#out.write(`${this.#elapsed()}  ${text}\n`);
  }

  /** Says a text the first time only. */
  once(text: string): void {
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.say(text);
  }

  /** One line for the phase and the pods when they changed, and one for each condition and warning that did. */
  show(view: View): void {
    const line = `phase ${(view.phase === "" ? "-" : view.phase).padEnd(12)} pods ${view.pods.ready}/${view.pods.wanted} ready   function ${view.functionState === "" ? "-" : view.functionState}`;
    if (line !== this.#line) this.say(line);
    this.#line = line;
    for (const { type, status, reason = "", message = "" } of view.conditions) {
      const text = `${type}=${status} (${reason})`;
      if (this.#conditions.get(type) === text || type === "Accepted") continue;
      this.#conditions.set(type, text);
      const first = message.trim().split("\n")[0] ?? "";
      this.say(`  ${text}${first === "" ? "" : `: ${first}`}`);
    }
    for (const { object, reason, message } of view.warnings) this.once(`  warning ${object}: ${reason}: ${message}`);
  }

  hints(lines: readonly string[]): void {
    this.#out.write(`\nLook around (Ctrl-C stops everything):\n${lines.map((l) => `  ${l}\n`).join("")}\n`);
  }

  #elapsed(): string {
    return `${((this.#now() - this.#start) / 1000).toFixed(1).padStart(6)}s`;
  }
}
