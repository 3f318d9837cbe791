import { homedir } from "node:os";

/** Where Fairlead leaves its files: `$XDG_STATE_HOME/fairlead`, or `~/.local/state/fairlead`. */
export function stateDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const base = env["XDG_STATE_HOME"];
  return `${base === undefined || base === "" ? `${homedir()}/.local/state` : base}/fairlead`;
}

/** Where downloads are kept: `$XDG_CACHE_HOME/fairlead`, or `~/.cache/fairlead`. */
export function cacheDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const base = env["XDG_CACHE_HOME"];
  return `${base === undefined || base === "" ? `${homedir()}/.cache` : base}/fairlead`;
}
