/** The real clock, chance and disk: what only an entry point (a `main.ts`) hands to the rest. */
export { systemClock } from "./clock/system.js";
export { systemFiles } from "./files/system.js";
export { systemRandom } from "./random/system.js";
