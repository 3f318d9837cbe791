// Where things stand in an expression, and how problems with it are printed (cel-go: common/error.go, common/errors.go).

/** One thing wrong with an expression. */
export interface Issue {
  /** In UTF-16 units from the start of the text; undefined for what concerns it all. */
  readonly offset: number | undefined;
  readonly message: string;
}

/** The most issues that are printed. */
const MOST_ISSUES = 100;
const LONGEST_SNIPPET = 16_384;

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Issues in the order of the text, each with the line that it is in and a mark under it. */
export function formatIssues(text: string, issues: readonly Issue[]): string {
  const lines = text.split("\n");
  const placed = issues.slice(0, MOST_ISSUES).map((issue) => ({ issue, place: placeOf(text, issue.offset) }));
  placed.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
  const printed = placed.map(({ issue, place }) => printIssue(issue, place, lines[place.line - 1]));
  if (issues.length > MOST_ISSUES) printed.push(`${issues.length - MOST_ISSUES} more errors were truncated`);
  return printed.join("\n");
}

/** Lines count from one, columns, in characters, from zero. */
function placeOf(text: string, offset: number | undefined): Place {
  if (offset === undefined) return { line: -1, column: -1 };
  const before = text.slice(0, offset);
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: [...before.slice(start)].length };
}

function printIssue(issue: Issue, { line, column }: Place, source: string | undefined): string {
  const head = `ERROR: <input>:${line}:${column + 1}: ${issue.message}`;
  const characters = [...(source ?? "").replaceAll("\t", " ")];
  if (source === undefined || characters.length > LONGEST_SNIPPET) return head;
  const dots = characters.slice(0, column).map((character) => (isWide(character) ? "\uff0e" : "."));
  const mark = isWide(characters[column] ?? "") ? "\uff3e" : "^";
  return `${head}\n | ${characters.join("")}\n | ${dots.join("")}${mark}`;
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f;
}
