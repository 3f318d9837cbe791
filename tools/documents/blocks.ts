/** A piece of TypeScript in a document. */
export interface Block {
  /** Of its first line of code, from 1. */
  readonly line: number;
  readonly code: string;
  /** What a reader takes for granted: the text of a comment `<!-- given … -->` right before the block. */
  readonly given: string;
}

/**
 * The TypeScript blocks of a Markdown document, in order. What a block takes for granted, it says in a comment that a
 * reader does not see, so that every block compiles by itself:
 *
 *     <!-- given
 *     declare const client: Client;
 *     -->
 *     ```ts
 *     await client.api(kinds.Pod, "default").list();
 *     ```
 */
export function codeBlocks(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split("\n");
  let given = "";
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (/^<!--\s*given\s*$/.test(line)) {
      const end = lines.indexOf("-->", at);
      given = lines.slice(at + 1, end).join("\n");
      at = end;
    } else if (/^```ts\s*$/.test(line)) {
      const end = lines.indexOf("```", at);
      blocks.push({ line: at + 2, code: lines.slice(at + 1, end).join("\n"), given });
      given = "";
      at = end;
    } else if (line.trim() !== "") given = "";
  }
  return blocks;
}
