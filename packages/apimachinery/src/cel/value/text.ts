// Positions in texts. Expressions count characters where JavaScript counts UTF-16 units; most texts have no character
// that takes two of them, and of these no position has to be looked for.
import { CelError } from "./value.js";

/** Lengths of long texts that were counted last, so that a loop that asks for one again and again does not count each time. */
class Lengths {
  readonly #known = new Map<string, number>();
  #units = 0;

  of(text: string): number {
    let length = this.#known.get(text);
    if (length !== undefined) return length;
    length = text.length - pairsIn(text);
    if (this.#known.size >= MOST_KNOWN || this.#units + text.length > MOST_UNITS) {
      this.#known.clear();
      this.#units = 0;
    }
    this.#units += text.length;
    this.#known.set(text, length);
    return length;
  }
}

const LONG = 2048;
const MOST_KNOWN = 64;
const MOST_UNITS = 4_000_000;
const lengths = new Lengths();
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;

function pairsIn(text: string): number {
  if (!PAIR.test(text)) return 0;
  let pairs = 0;
  for (let i = 0; i < text.length - 1; i++)
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) pairs++;
  return pairs;
}

/** How many characters a text has. */
export function lengthOf(text: string): number {
  return text.length < LONG ? text.length - pairsIn(text) : lengths.of(text);
}

/** Where the character of a number begins, in units; the number is at most the text's length. */
export function unitOf(text: string, character: number): number {
  if (lengthOf(text) === text.length) return character;
  let unit = 0;
  for (let left = character; left > 0; left--) unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  return unit;
}

/** The number of the character that begins at a unit. */
export function characterAt(text: string, unit: number): number {
  return lengthOf(text) === text.length ? unit : unit - pairsIn(text.slice(0, unit));
}

/** The characters of a text. */
export function charactersOf(text: string): string[] {
  return lengthOf(text) === text.length ? text.split("") : [...text];
}

/** The most characters that a function may make of what it is given; beyond, memory would be the limit. */
export const MOST_CHARACTERS: number = 2 ** 26;

/** What a function says that would make a longer text. */
export function tooLong(name: string): CelError {
  return new CelError(`${name}: the result is too long`);
}
