/** Who asks: what authentication found. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** When a request ends before its answer: its client goes away, or the server closes. */
export interface Ending {
  /** Made when it is first asked for, since few verbs wait for anything. */
  readonly signal: AbortSignal;
}

/** What every verb is told about the request that it serves. */
export interface RequestContext {
  readonly user: UserInfo;
  readonly ending: Ending;
  /** Of the request; 0 without a body. */
  readonly bodyBytes: number;
  /** Collects the texts of `Warning` headers. */
  readonly warn: (text: string) => void;
  /** Refuses (403) when the user may not create what PUT or an apply is about to; absent where everything is allowed. */
  readonly checkCreate?: () => void;
}

/** Options of create, update, patch and apply. */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** Never empty: derived from the User-Agent where the client named none. */
  readonly fieldManager: string;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
}

/** Which object, or which part of it. */
export interface Target {
  readonly namespace: string | undefined;
  readonly name: string;
  /** `""`, `status`, `scale`, … */
  readonly subresource: string;
}
