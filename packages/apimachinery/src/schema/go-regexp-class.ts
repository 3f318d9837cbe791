// Sets of characters as Go's regular expressions write them (Go: regexp/syntax/perl_groups.go, unicode tables).

/** A set of characters, with what belongs to it listed piece by piece. */
export interface CharacterSet {
  readonly pieces: readonly SetPiece[];
  readonly negated: boolean;
  readonly foldCase: boolean;
}

/** The characters that a piece of a JavaScript class matches, or all others. */
export interface SetPiece {
  readonly source: string;
  readonly negated: boolean;
  /** The first and the last character, where the piece is nothing but a range. */
  readonly range?: readonly [from: number, to: number];
}

/** Tells whether a character, by its code point, is in the set. */
export type CharacterTest = (point: number) => boolean;

/** Every character, and every one but the line feed. */
export const ANY_CHARACTER: CharacterSet = { pieces: [], negated: true, foldCase: false };
export const ANY_BUT_NEWLINE: CharacterSet = { pieces: [rangePiece(10, 10)], negated: true, foldCase: false };

/** The characters from one to another. */
export function rangePiece(from: number, to: number): SetPiece {
  return { source: `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`, negated: false, range: [from, to] };
}

const PERL: ReadonlyMap<string, string> = new Map([
  ["d", "0-9"],
  ["s", "\\t\\n\\f\\r "],
  ["w", "0-9A-Za-z_"],
]);

/** `\d`, `\W` and the like, by their letter; undefined for another letter. */
export function perlPiece(letter: string): SetPiece | undefined {
  const source = PERL.get(letter.toLowerCase());
  return source === undefined ? undefined : { source, negated: letter !== letter.toLowerCase() };
}

const POSIX: ReadonlyMap<string, string> = new Map([
  ["alnum", "0-9A-Za-z"],
  ["alpha", "A-Za-z"],
  ["ascii", "\\x00-\\x7F"],
  ["blank", "\\t "],
  ["cntrl", "\\x00-\\x1F\\x7F"],
  ["digit", "0-9"],
  ["graph", "!-~"],
  ["lower", "a-z"],
  ["print", " -~"],
  ["punct", "!-\\/:-@\\[-`\\{-~"],
  ["space", "\\t-\\r "],
  ["upper", "A-Z"],
  ["word", "0-9A-Za-z_"],
  ["xdigit", "0-9A-Fa-f"],
]);

/** What stands between `[:` and `:]`; undefined for a name that there is not. */
export function posixPiece(name: string): SetPiece | undefined {
  const negated = name.startsWith("^");
  const source = POSIX.get(negated ? name.slice(1) : name);
  return source === undefined ? undefined : { source, negated };
}

/**
 * A general category or script by its name, as in `\p{Greek}`; undefined for a name that there is not. Scripts whose names
 * have several words cannot be named, in Go neither.
 */
export function unicodePiece(name: string, negated: boolean): SetPiece | undefined {
  const canonical = canonicalName(name);
  if (canonical === "Any") return { source: "\\u{0}-\\u{10ffff}", negated };
  if (canonical === "Ascii") return { source: "\\x00-\\x7F", negated };
  if (canonical === "Assigned") return { source: "\\p{Cn}", negated: !negated };
  for (const source of [`\\p{gc=${categoryName(name, canonical)}}`, `\\p{sc=${canonical}}`])
    if (isValid(source)) return { source, negated };
  return undefined;
}

function canonicalName(name: string): string {
  const letters = name.replace(/[_\- ]/g, "");
  return letters.slice(0, 1).toUpperCase() + letters.slice(1).toLowerCase();
}

/** Categories have short names, of which `LC` alone is in capitals, and long ones with underscores. */
function categoryName(name: string, canonical: string): string {
  if (canonical === "Lc") return "LC";
  if (canonical.length <= 2) return canonical;
  return name
    .split(/[_\- ]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join("_");
}

function isValid(source: string): boolean {
  try {
    return new RegExp(source, "u").flags === "u";
  } catch {
    return false;
  }
}

const ASCII = 128;

/** The test of a set: ranges are compared; for others there is a table for ASCII, and JavaScript's classes for the rest. */
export function characterTest(set: CharacterSet): CharacterTest {
  const { pieces, negated, foldCase } = set;
  if (pieces.length === 0) return () => negated;
  const ranges = foldCase ? [] : pieces.flatMap((piece) => (piece.range === undefined ? [] : [piece.range]));
  return ranges.length === pieces.length && ranges.length <= MOST_RANGES ? rangeTest(ranges, negated) : classTest(set);
}

const MOST_RANGES = 4;

function rangeTest(ranges: readonly (readonly [from: number, to: number])[], negated: boolean): CharacterTest {
  return (point) => {
    for (const [from, to] of ranges) if (point >= from && point <= to) return !negated;
    return negated;
  };
}

function classTest(set: CharacterSet): CharacterTest {
  const flags = set.foldCase ? "iu" : "u";
  const tests = set.pieces.map(({ source, negated }) => ({ regExp: new RegExp(`^[${source}]$`, flags), negated }));
  const table = new Array<boolean | undefined>(ASCII);
  const look = (point: number): boolean => {
    const text = String.fromCodePoint(point);
    return tests.some(({ regExp, negated }) => regExp.test(text) !== negated) !== set.negated;
  };
  return (point) => (point < ASCII ? (table[point] ??= look(point)) : look(point));
}
