import { decodeUtf16, decodeUtf8 } from "@fairlead/base";

/**
 * The text of a scalar that is not written as it is meant, unit by unit: joining a text per word would cost ten times as
 * much, and whoever sends a body chooses how many words it has.
 */
export class TextBuilder {
  #units = new Uint16Array(64);
  #length = 0;
  /** All units, or-ed. */
  #seen = 0;
  /** All there is, while it came as one text. */
  #whole = "";

  get length(): number {
    return this.#whole.length + this.#length;
  }

  push(unit: number): void {
    if (this.#whole !== "") this.#spill();
    if (this.#length === this.#units.length) this.#grow(this.#length * 2);
    this.#units[this.#length++] = unit;
    this.#seen |= unit;
  }

  append(text: string): void {
    if (this.#length === 0 && this.#whole === "") {
      this.#whole = text;
      return;
    }
    if (this.#whole !== "") this.#spill();
    this.#copy(text);
  }

  /** Forgets what is behind the first `length` units. */
  truncate(length: number): void {
    if (length >= this.length) return;
    if (this.#whole === "") this.#length = length;
    else this.#whole = this.#whole.slice(0, length);
  }

  /** Replaces the unit at a place by another, or by none. */
  replace(at: number, unit: number | undefined): void {
    if (this.#whole !== "") this.#spill();
    if (unit !== undefined) {
      this.#units[at] = unit;
      this.#seen |= unit;
    } else {
      this.#units.copyWithin(at, at + 1, this.#length);
      this.#length -= 1;
    }
  }

  toString(): string {
    if (this.#whole !== "" || this.#length === 0) return this.#whole;
    const units = this.#units.subarray(0, this.#length);
    // Two bytes a unit would stay two bytes for as long as the text is kept.
    return this.#seen < 0x80 ? decodeUtf8(Uint8Array.from(units)) : decodeUtf16(units);
  }

  #spill(): void {
    const text = this.#whole;
    this.#whole = "";
    this.#copy(text);
  }

  #copy(text: string): void {
    const length = this.#length + text.length;
    if (length > this.#units.length) this.#grow(Math.max(length, this.#units.length * 2));
    const units = this.#units;
    for (let at = this.#length, i = 0; i < text.length; i++, at++) {
      const unit = text.charCodeAt(i);
      units[at] = unit;
      this.#seen |= unit;
    }
    this.#length = length;
  }

  #grow(length: number): void {
    const units = new Uint16Array(length);
    units.set(this.#units);
    this.#units = units;
  }
}
