import type { Literal } from "./ast.js";
import type { Token } from "./lexer.js";
import { unquoteBytes, unquoteString, type Unquoted } from "./unquote.js";

/** What a token stands for, or what is wrong with it. @param sign - `-` where one stands before a number. */
export function literalOf(token: Token, sign: string): Unquoted<Literal> {
  const { text } = token;
  switch (token.kind) {
    case "int": {
      const value = sign === "-" ? -BigInt(text) : BigInt(text);
      return BigInt.asIntN(64, value) === value
        ? { value: { type: "int", value } }
        : { problem: "invalid int literal" };
    }
    case "uint": {
      const value = BigInt(text.slice(0, -1));
      return BigInt.asUintN(64, value) === value
        ? { value: { type: "uint", value } }
        : { problem: "invalid uint literal" };
    }
    case "double": {
      const value = Number(sign + text);
      return Number.isFinite(value) ? { value: { type: "double", value } } : { problem: "invalid double literal" };
    }
    case "string": {
      const value = unquoteString(text);
      return "problem" in value ? value : { value: { type: "string", value: value.value } };
    }
    case "bytes": {
      const value = unquoteBytes(text.slice(1));
      return "problem" in value ? value : { value: { type: "bytes", value: value.value } };
    }
    default:
      return text === "null" ? { value: { type: "null" } } : { value: { type: "bool", value: text === "true" } };
  }
}
