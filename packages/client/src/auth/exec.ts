import { FairleadError } from "@fairlead/base";
import { execFile } from "node:child_process";
import type { ExecCredential } from "./credentials.js";
import type { ExecConfig } from "./kubeconfig.js";

/** An exec plugin failed, or printed something else than an ExecCredential. */
export class ExecPluginError extends FairleadError {
  constructor(command: string, why: string, cause?: unknown) {
    super("ExecPlugin", `The exec plugin ${command} of the kubeconfig failed: ${why}`, { cause });
  }
}

/** How long a plugin may take; it may have to wait for somebody at a browser. */
const LIMIT_MS = 120_000;

/**
 * Runs an exec plugin, without a terminal.
 *
 * @param env - The environment it inherits.
 * @throws ExecPluginError
 */
export function runExecPlugin(
  config: ExecConfig,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<ExecCredential> {
  const asked = { apiVersion: config.apiVersion, kind: "ExecCredential", spec: { interactive: false } };
  const own = Object.fromEntries((config.env ?? []).map(({ name, value }) => [name, value]));
  return new Promise((resolve, reject) => {
    execFile(
      config.command,
      [...(config.args ?? [])],
      {
        env: { ...env, ...own, KUBERNETES_EXEC_INFO: JSON.stringify(asked) },
        signal,
        timeout: LIMIT_MS,
        maxBuffer: 4 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        if (signal.aborted) reject(signal.reason as Error);
        else if (error !== null) reject(new ExecPluginError(config.command, hint(error, stderr, config), error));
        else {
          try {
            resolve(parseCredential(stdout, config));
          } catch (cause) {
            reject(cause);
          }
        }
      },
    );
  });
}

/** @throws ExecPluginError for text that is no ExecCredential with a status. */
export function parseCredential(text: string, config: ExecConfig): ExecCredential {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw new ExecPluginError(config.command, "it did not print JSON", cause);
  }
  if (
    typeof answer !== "object" ||
    answer === null ||
    (answer as { readonly kind?: unknown }).kind !== "ExecCredential"
  ) {
    throw new ExecPluginError(config.command, "it did not print an ExecCredential");
  }
  if ((answer as ExecCredential).status === undefined)
    throw new ExecPluginError(config.command, "its ExecCredential has no status");
  return answer;
}

function hint(error: Error & { readonly code?: unknown }, stderr: string, config: ExecConfig): string {
  if (error.code === "ENOENT") return `it is not installed. ${config.installHint ?? ""}`.trim();
  return stderr.trim() === "" ? error.message : stderr.trim().slice(0, 1000);
}
