/** What a token is, and what it carries. */
export type TokenBody =
  | {
      readonly type:
        | "stream-end"
        | "document-start"
        | "document-end"
        | "block-sequence-start"
        | "block-mapping-start"
        | "block-end"
        | "flow-sequence-start"
        | "flow-sequence-end"
        | "flow-mapping-start"
        | "flow-mapping-end"
        | "block-entry"
        | "flow-entry"
        | "key"
        | "value";
    }
  | { readonly type: "version-directive"; readonly major: number; readonly minor: number }
  | { readonly type: "tag-directive"; readonly handle: string; readonly prefix: string }
  | { readonly type: "alias" | "anchor"; readonly name: string }
  | { readonly type: "tag"; readonly handle: string; readonly suffix: string }
  | { readonly type: "scalar"; readonly value: string; readonly plain: boolean };

/** A piece of YAML's syntax, with the lines, from 0, on which it begins and ends. */
export interface Token {
  readonly body: TokenBody;
  readonly startLine: number;
  readonly endLine: number;
}

export type TokenType = TokenBody["type"];
