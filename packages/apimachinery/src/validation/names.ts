// The rules of names, keys and values, each giving the messages of what is wrong with a text, none when it is right
// (apimachinery: util/validation, api/validate/content).

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const UNDERSCORE_LABEL = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const UNDERSCORE_SUBDOMAIN = `${UNDERSCORE_LABEL}(\\.${UNDERSCORE_LABEL})*`;
const DNS_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const WILDCARD = `\\*\\.${SUBDOMAIN}`;
const KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${KEY})?`;
const CONFIG_KEY = "[-._a-zA-Z0-9]+";
const C_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*";
const HEADER = "[-A-Za-z0-9]+";
const PERCENT = "[0-9]+%";
const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

const PATTERNS: ReadonlyMap<string, RegExp> = new Map(
  [
    LABEL,
    SUBDOMAIN,
    UNDERSCORE_SUBDOMAIN,
    DNS_1035,
    WILDCARD,
    KEY,
    LABEL_VALUE,
    CONFIG_KEY,
    C_IDENTIFIER,
    HEADER,
    PERCENT,
    HTTP_PATH,
  ].map((pattern) => [pattern, new RegExp(`^(?:${pattern})$`)]),
);

const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const KEY_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Bytes of a text in UTF-8, which is what Kubernetes' limits count. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point > 0xffff ? 2 : point > 0x7ff ? 2 : point > 0x7f ? 1 : 0;
  }
  return bytes;
}

export function isDns1123Label(value: string): readonly string[] {
  const errors = tooManyCharacters(value, 63);
  if (matches(LABEL, value)) return errors;
  if (matches(SUBDOMAIN, value)) return [...errors, "must not contain dots"];
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...errors, regexMessage(rule, LABEL, "my-name", "123-abc")];
}

export function isDns1123Subdomain(value: string): readonly string[] {
  return [
    ...tooManyCharacters(value, 253),
    ...(matches(SUBDOMAIN, value) ? [] : [regexMessage(SUBDOMAIN_RULE, SUBDOMAIN, "example.com")]),
  ];
}

/** As a resource name of dynamic resource allocation or a search path may be. */
export function isDns1123SubdomainWithUnderscore(value: string): readonly string[] {
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [
    ...tooManyCharacters(value, 253),
    ...(matches(UNDERSCORE_SUBDOMAIN, value) ? [] : [regexMessage(rule, UNDERSCORE_SUBDOMAIN, "example.com")]),
  ];
}

export function isDns1035Label(value: string): readonly string[] {
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [
    ...tooManyCharacters(value, 63),
    ...(matches(DNS_1035, value) ? [] : [regexMessage(rule, DNS_1035, "my-name", "abc-123")]),
  ];
}

export function isWildcardDns1123Subdomain(value: string): readonly string[] {
  const rule =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [
    ...tooManyCharacters(value, 253),
    ...(matches(WILDCARD, value) ? [] : [regexMessage(rule, WILDCARD, "*.example.com")]),
  ];
}

/** A label key: an optional DNS subdomain, `/`, and a name. */
export function isQualifiedName(value: string): readonly string[] {
  const parts = value.split("/");
  const errors: string[] = [];
  if (parts.length > 2) {
    return [
      `a valid label key ${regexMessage(KEY_RULE, KEY, "MyName", "my.name", "123-abc")} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  if (parts.length === 2) {
    const prefix = parts[0] ?? "";
    if (prefix === "") errors.push("prefix part must be non-empty");
    else
      errors.push(
        ...tooManyBytes(prefix, 253),
        ...(matches(SUBDOMAIN, prefix) ? [] : [regexMessage(SUBDOMAIN_RULE, SUBDOMAIN, "example.com")]),
      );
    for (let i = 0; i < errors.length && prefix !== ""; i++) errors[i] = `prefix part ${errors[i] ?? ""}`;
  }
  const name = parts.at(-1) ?? "";
  if (name === "") errors.push("name part must be non-empty");
  else errors.push(...tooManyBytes(name, 63).map((message) => `name part ${message}`));
  if (!matches(KEY, name)) errors.push(`name part ${regexMessage(KEY_RULE, KEY, "MyName", "my.name", "123-abc")}`);
  return errors;
}

export function isLabelValue(value: string): readonly string[] {
  const rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [
    ...tooManyBytes(value, 63),
    ...(matches(LABEL_VALUE, value) ? [] : [regexMessage(rule, LABEL_VALUE, "MyValue", "my_value", "12345")]),
  ];
}

/** The key of a ConfigMap or Secret. */
export function isConfigMapKey(value: string): readonly string[] {
  const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
  return [
    ...tooManyCharacters(value, 253),
    ...(matches(CONFIG_KEY, value) ? [] : [regexMessage(rule, CONFIG_KEY, "key.name", "KEY_NAME", "key-name")]),
    ...dotPrefix(value),
  ];
}

export function isCIdentifier(value: string): readonly string[] {
  const rule =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  return matches(C_IDENTIFIER, value) ? [] : [regexMessage(rule, C_IDENTIFIER, "my_name", "MY_NAME", "MyName")];
}

/** The name of an environment variable: printable ASCII without `=`. */
export function isEnvVarName(value: string): readonly string[] {
  if (value === "") return ["environment variable name must be non-empty"];
  if (/^[ -<>-~]*$/.test(value)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

export function isPortNumber(port: number | bigint): readonly string[] {
  return isInRange(port, 1, 65535);
}

export function isInRange(value: number | bigint, min: number, max: number): readonly string[] {
  return value >= min && value <= max ? [] : [inclusiveRange(min, max)];
}

/** `must be between 1 and 5, inclusive` */
export function inclusiveRange(min: number, max: number): string {
  return `must be between ${min} and ${max}, inclusive`;
}

/** The name of a container's port (IANA service name). */
export function isPortName(port: string): readonly string[] {
  const errors = [...tooManyCharacters(port, 15)];
  if (!/^[-a-z0-9]+$/.test(port)) errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(port)) errors.push("must contain at least one letter (a-z)");
  if (port.includes("--")) errors.push("must not contain consecutive hyphens");
  if (port.startsWith("-") || port.endsWith("-")) errors.push("must not begin or end with a hyphen");
  return errors;
}

export function isPercent(value: string): readonly string[] {
  const rule = "a valid percent string must be a numeric string followed by an ending '%'";
  return matches(PERCENT, value) ? [] : [regexMessage(rule, PERCENT, "1%", "93%")];
}

export function isHttpHeaderName(value: string): readonly string[] {
  const rule = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return matches(HEADER, value) ? [] : [regexMessage(rule, HEADER, "X-Header-Name")];
}

/** Whether a text may stand in the path part of a URL. */
export function isHttpPath(value: string): readonly string[] {
  return matches(HTTP_PATH, value) ? [] : [regexMessage("Invalid path", HTTP_PATH)];
}

/** The name of an object whose kind has no rule but that it must fit into a URL. */
export function isPathSegmentName(name: string, prefix = false): readonly string[] {
  if (!prefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"]
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}

/**
 * A rule for names as it is applied to a generateName, whose trailing dash is not the end of the name
 * (apimachinery: api/validation/generic.go maskTrailingDash).
 */
export function namePrefixRule(
  rule: (name: string) => readonly string[],
): (name: string, prefix: boolean) => readonly string[] {
  return (name, prefix) => rule(prefix && name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name);
}

function matches(pattern: string, value: string): boolean {
  return PATTERNS.get(pattern)?.test(value) === true;
}

function tooManyCharacters(value: string, max: number): readonly string[] {
  return byteLength(value) > max ? [`must be no more than ${max} characters`] : [];
}

function tooManyBytes(value: string, max: number): readonly string[] {
  return byteLength(value) > max ? [`must be no more than ${max} bytes`] : [];
}

/** `rule (e.g. 'a', or 'b', regex used for validation is 'p')`, in Kubernetes' own punctuation. */
export function regexMessage(rule: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${rule} (regex used for validation is '${pattern}')`;
  return `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}regex used for validation is '${pattern}')`;
}

function dotPrefix(value: string): readonly string[] {
  if (value === ".") return ["must not be '.'"];
  if (value === "..") return ["must not be '..'"];
  return value.startsWith("..") ? ["must not start with '..'"] : [];
}
