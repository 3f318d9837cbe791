import { FairleadError, type JsonObject } from "@fairlead/base";

import type { RegistryAuth } from "../api.js";

/** Everything that decides what a chart renders to. */
export interface RenderInput {
  readonly url: string;
  /** Helm values, any JSON object; `{}` when there are none. */
  readonly values: JsonObject;
  readonly namespace: string;
  /** `1.36.2`: the server's version, for `.Capabilities`. */
  readonly kubeVersion: string;
  /** `apps/v1`, `apps/v1/Deployment`, …, sorted. */
  readonly apiVersions: readonly string[];
  /** Credentials for fetching the chart; never part of messages. */
  readonly auth: readonly RegistryAuth[];
}

/**
 * What rendering came to. `invalid`: the chart or its values are at fault, trying again cannot help. Faults on the way
 * (network, a missing program) are thrown as RenderError.
 */
export type Rendering =
  | { readonly kind: "rendered"; readonly objects: readonly JsonObject[] }
  | { readonly kind: "invalid"; readonly errors: readonly string[] };

/** Turns a chart into objects. The real one runs Helm; tests replay what it once said. */
export interface Renderer {
  render(input: RenderInput, signal: AbortSignal): Promise<Rendering>;
}

/** Rendering could not be tried. */
export class RenderError extends FairleadError {
  /** Whether trying again may help. */
  readonly retriable: boolean;

  constructor(message: string, options: { readonly retriable: boolean; readonly cause?: unknown }) {
    super("Render", message, options.cause === undefined ? {} : { cause: options.cause });
    this.retriable = options.retriable;
  }
}

/** A URL as messages may show it: without user, query and fragment. */
export function redactedUrl(url: string): string {
  try {
    const parsed = new URL(url);
    return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
  } catch {
    return "<unparseable>";
  }
}
