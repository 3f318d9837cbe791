/** What a stream of YAML tells of its documents, in order. Lines count from 0. */
export type Event =
  | { readonly type: "document-start" | "document-end" | "sequence-end" | "mapping-end" | "stream-end" }
  | { readonly type: "sequence-start" | "mapping-start"; readonly anchor: string | undefined; readonly line: number }
  | { readonly type: "alias"; readonly name: string; readonly line: number }
  | ({ readonly type: "scalar"; readonly anchor: string | undefined } & ScalarText);

/** A scalar before it is known what it means. */
export interface ScalarText {
  readonly value: string;
  /** In full (`tag:yaml.org,2002:int`); empty when there is none. */
  readonly tag: string;
  /** It stands without quotes and without a tag (or with `!`), so its text decides what it is. */
  readonly plain: boolean;
  readonly line: number;
}
