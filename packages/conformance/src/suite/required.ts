/** The recorded cases that must pass, by the beginnings of their ids. An empty text is the whole recording. */
export const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  miniservice: [""],
  ssa: ["ssa-A", "ssa-B"],
};
