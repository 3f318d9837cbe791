/**
 * Which fields are pointers in Go, as `core.v1.Container.livenessProbe`: the marks of the protobuf field map. An embedded
 * message's fields count for the message that embeds it.
 *
 * @param source - The text of the module that holds the field map.
 */
export function pointerFields(source: string): ReadonlySet<string> {
  const messages = new Map<string, readonly string[]>();
  let group = "";
  for (const line of source.split("`")[source.split("`").length - 2]?.split("\n") ?? []) {
    const heading = /^\[(?:api|apis)\.(.+)\]$/.exec(line);
    if (heading?.[1] !== undefined) group = heading[1];
    const message = /^(\w+) = (.+)$/.exec(line);
    if (message?.[1] !== undefined && message[2] !== undefined)
      messages.set(`${group}.${message[1]}`, message[2].split("; "));
  }
  const out = new Set<string>();
  for (const name of messages.keys()) for (const field of pointersOf(messages, name)) out.add(`${name}.${field}`);
  return out;
}

function pointersOf(messages: ReadonlyMap<string, readonly string[]>, name: string): readonly string[] {
  const group = name.slice(0, name.lastIndexOf("."));
  return (messages.get(name) ?? []).flatMap((field) => {
    const match = /^\d+(\^?) ([^:]+):(.*)$/.exec(field);
    if (match?.[2] === undefined || match[3] === undefined) return [];
    if (match[1] === "^") return pointersOf(messages, `${group}.${match[3]}`);
    return match[3].endsWith("!") ? [match[2]] : [];
  });
}
