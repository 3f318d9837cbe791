// Names of properties as expressions spell them (apiserver: pkg/cel/escaping.go).

const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const SPELLED: ReadonlyMap<string, string> = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);

/** Undefined for a name that expressions cannot spell. */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_.\-/][A-Za-z0-9_.\-/]*$/.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, (part) => SPELLED.get(part) ?? part);
}

const MEANT: ReadonlyMap<string, string> = new Map([...SPELLED].map(([plain, escaped]) => [escaped, plain]));

/** The property that an escaped name means; undefined for one that means none. */
export function unescapeName(escaped: string): string | undefined {
  let valid = true;
  const name = escaped.replace(/__[^_]+__/g, (part) => {
    const plain = MEANT.get(part);
    if (plain !== undefined) return plain;
    const word = part.slice(2, -2);
    if (!RESERVED.has(word) || part !== escaped) valid = false;
    return word;
  });
  return valid ? name : undefined;
}
