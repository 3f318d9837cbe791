import { PROTOBUF_FIELDS } from "./fields.js";

/** One field of a message, by its number. */
export interface ProtobufField {
  readonly name: string;
  /** A letter of the field map, or the full name of a message. */
  readonly type: string;
  readonly repeated: boolean;
  readonly map: boolean;
  /** Whether presence counts: kept when zero. */
  readonly pointer: boolean;
  /** Whether its fields belong to the message that holds it. */
  readonly embedded: boolean;
}

export type ProtobufMessage = ReadonlyMap<number, ProtobufField>;

/** The messages of the field map, each parsed when it is first asked for. */
export interface ProtobufMessages {
  /** By full name, e.g. `api.core.v1.Pod`; undefined when there is none. */
  find(name: string): ProtobufMessage | undefined;
}

/** Reads the field map. */
export function protobufMessages(): ProtobufMessages {
  const lines = new Map<string, string>();
  let group = "";
  for (const line of PROTOBUF_FIELDS.split("\n")) {
    if (line.startsWith("[")) group = line.slice(1, -1);
    const equals = line.indexOf(" = ");
    if (equals > 0) lines.set(`${group}.${line.slice(0, equals)}`, line.slice(equals + 3));
  }
  const byShortName = new Map([...lines.keys()].map((name) => [name.slice(name.lastIndexOf(".") + 1), name]));
  const parsed = new Map<string, ProtobufMessage>();
  return {
    find(name) {
      const known = parsed.get(name);
      const line = lines.get(name);
      if (known !== undefined || line === undefined) return known;
      const message = new Map(
        line
          .split("; ")
          .filter((field) => field !== "")
          .map((field) => parseField(field, (type) => fullName(type, name))),
      );
      parsed.set(name, message);
      return message;
    },
  };

  /** A type's name as seen from a message: of the same package, else qualified, else of the only package that has it. */
  function fullName(type: string, from: string): string {
    const own = `${from.slice(0, from.lastIndexOf("."))}.${type}`;
    if (lines.has(own)) return own;
    return type.includes(".") ? `api.${type}` : (byShortName.get(type) ?? type);
  }
}

function parseField(text: string, fullName: (type: string) => string): readonly [number, ProtobufField] {
  const match = /^(\d+)(\^?) ([^:]+):(.*?)(\*?)((?:\{\})?)(!?)$/.exec(text);
  if (match === null) throw new SyntaxError(`The protobuf field map has a field ${JSON.stringify(text)}.`);
  const [, number = "", embedded = "", name = "", type = "", repeated = "", map = "", pointer = ""] = match;
  return [
    Number(number),
    {
      name,
      type: type.length === 1 ? type : fullName(type),
      repeated: repeated !== "",
      map: map !== "",
      pointer: pointer !== "",
      embedded: embedded !== "",
    },
  ];
}
