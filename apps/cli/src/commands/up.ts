import type { Terminal } from "../terminal.js";

export interface UpFlags {
  readonly chart?: string;
  readonly values?: string;
  readonly name: string;
  readonly once?: boolean;
  readonly policy?: "default" | "unrestricted" | "trusted";
  readonly dataDir?: string;
  readonly port: number;
}

export async function upCommand(_flags: UpFlags, _terminal: Terminal): Promise<number> {
  throw new Error("not built yet");
}
