/**
 * Splits a stream of chunks into lines, wherever the chunks are cut; inside a character too. Lines come without their
 * newline, empty ones are left out, and what follows the last newline is dropped: a watch that breaks off in the middle
 * of an event has not sent it.
 *
 * @param maxLength - UTF-16 units of a line that are kept at most; a longer one ends the stream with RangeError.
 */
export async function* lines(
  chunks: AsyncIterable<Uint8Array | string>,
  maxLength: number = MAX_LINE,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      const line = rest === "" ? text.slice(from, at) : rest + text.slice(from, at);
      rest = "";
      from = at + 1;
      if (line !== "") yield line;
    }
    if (from < text.length) rest += from === 0 ? text : text.slice(from);
    if (rest.length > maxLength) throw new RangeError(`A line of the stream is longer than ${maxLength} characters`);
  }
}

/** Twice what etcd stores in one object, in its longest spelling. */
const MAX_LINE = 32 * 1024 * 1024;
