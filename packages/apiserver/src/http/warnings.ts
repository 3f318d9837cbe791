import type { HttpHeaders } from "@fairlead/base";

/** Characters of all `Warning` headers of an answer, before each is cut to ITEM characters (apiserver: filters/warning.go). */
const TOTAL = 4096;
const ITEM = 256;

/** The warnings of one answer: each text once, and cut where they are too long together. */
export class Warnings {
  readonly #texts = new Set<string>();
  #shown: string[] = [];
  #characters = 0;
  #isCutting = false;

  add(text: string): void {
    if (text === "" || (this.#isCutting && this.#characters >= TOTAL) || this.#texts.has(text)) return;
    this.#texts.add(text);
    if (!this.#isCutting && this.#characters + lengthOf(text) > TOTAL) {
      this.#isCutting = true;
      this.#characters = 0;
      this.#shown = [];
      for (const earlier of this.#texts) this.#show(earlier);
    } else this.#show(text);
  }

  /** The values of `Warning` headers: `299 - "text"`. */
  headers(): HttpHeaders {
    return this.#shown.length === 0 ? {} : { warning: this.#shown };
  }

  #show(text: string): void {
    const shown = this.#isCutting && lengthOf(text) > ITEM ? [...text].slice(0, ITEM).join("") : text;
    if (/\p{Cc}/u.test(shown)) return;
    this.#characters += lengthOf(shown);
    this.#shown.push(`299 - "${shown.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`);
  }
}

/** Characters, not UTF-16 units. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) length--;
  return length;
}
