/**
 * The values that a server invents, by the symbols that stand for them in a recording:
 *
 * - `<uid:N>` the N-th distinct `metadata.uid` seen, `<rv:N>` the N-th distinct resourceVersion
 * - `<lrv:N>` the resourceVersion of the N-th list, table or bookmark: it counts every write of the server, so only its
 *   place in the run can be compared, not whether it equals another
 * - `<name:N>` the N-th generated name, `<token:N>` the N-th continue token
 * - `<time>`, `<ip>`, `<age>`, `<jwt>` values of that form, which are not told apart
 *
 * Symbols in a request are replaced by this run's values before it is sent. Equal symbols mean equal values: that a
 * write which changes nothing keeps its resourceVersion is checked because the symbol repeats.
 */
export class Symbols {
  #tables: Readonly<Record<Table, Map<string, string>>> = {
    uid: new Map(),
    rv: new Map(),
    name: new Map(),
    token: new Map(),
  };
  /** By uid: the address of a Service. */
  #addresses: ReadonlyMap<string, string> = new Map();
  #lists: readonly string[] = [];
  #tokens: readonly string[] = [];

  /** The symbol of the next list's resourceVersion. */
  list(value: string): string {
    this.#lists = [...this.#lists, value];
    return `<lrv:${String(this.#lists.length)}>`;
  }

  /** The symbol of the next continue token: numbered by place too, since a token holds a list's revision. */
  token(value: string): string {
    this.#tokens = [...this.#tokens, value];
    const symbol = `<token:${String(this.#tokens.length)}>`;
    this.#tables.token.set(value, symbol);
    return symbol;
  }

  /** Remembers the address that this run gave to a Service. */
  learnAddress(uid: string, address: string): void {
    this.#addresses = new Map(this.#addresses).set(uid, address);
  }

  /** The address of the Service that a symbol stands for; undefined for what is none, or not seen yet. */
  address(uidSymbol: string): string | undefined {
    return uidSymbol.startsWith("<uid:") ? this.#addresses.get(this.value(uidSymbol) ?? "") : undefined;
  }

  /** The symbol of a value, given one if it is new. */
  of(table: Exclude<Table, "token">, value: string): string {
    const known = this.#tables[table];
    const symbol = known.get(value) ?? `<${table}:${String(known.size + 1)}>`;
    known.set(value, symbol);
    return symbol;
  }

  /** This run's value of a symbol; undefined when the run has not seen it. */
  value(symbol: string): string | undefined {
    const [, table, number] = /^<(uid|rv|lrv|name|token):(\d+)>$/.exec(symbol) ?? [];
    const place = Number(number) - 1;
    if (table === "token") return this.#tokens[place];
    if (table === "lrv") return this.#lists[place];
    for (const [value, known] of this.#tables[table as Table]) if (known === symbol) return value;
    return undefined;
  }

  /** A copy that learns on its own: an answer that is thrown away must leave no trace. */
  clone(): Symbols {
    const copy = new Symbols();
    copy.adopt(this);
    return copy;
  }

  /** Takes over what another table knows. */
  adopt(other: Symbols): void {
    const { uid, rv, name, token } = other.#tables;
    this.#tables = { uid: new Map(uid), rv: new Map(rv), name: new Map(name), token: new Map(token) };
    this.#addresses = other.#addresses;
    this.#lists = other.#lists;
    this.#tokens = other.#tokens;
  }

  /** Every symbol inside a text (a path, a body) replaced by this run's value. */
  expand(text: string): string {
    return text.replace(/<(uid|rv|lrv|name|token):\d+>/g, (symbol) => this.value(symbol) ?? symbol);
  }

  /** Every known value inside a text replaced by its symbol. */
  fold(text: string): string {
    let folded = text;
    for (const table of ["uid", "token", "name"] as const) {
      for (const [value, symbol] of this.#tables[table]) {
        if (value.length > 3) folded = folded.replaceAll(value, () => symbol);
      }
    }
    for (const [value, symbol] of this.#tables.rv) {
      const quoted = new RegExp(`(resourceVersion(?:Match)?[\\\\"':= ]+"?)${value}(?=[\\\\"&,\\s}]|$)`, "g");
      folded = folded.replace(quoted, (_all, before: string) => `${before}${symbol}`);
    }
    return folded;
  }
}

type Table = "uid" | "rv" | "name" | "token";
