import { bodyText, isObject, messageOf, stringifyJson, type JsonValue } from "@fairlead/base";
import type { Context } from "@fairlead/runtime";
import type { Client } from "@fairlead/client";

import type { MiniService } from "./api.js";
import { keepRender, type Memory, type Rendered } from "./memory.js";
import { documentsOf, renderText } from "./render/documents.js";
import type { Policy } from "./render/policy.js";
import { RenderError, type Renderer } from "./render/renderer.js";

export type { Rendered } from "./memory.js";

/** Where renders come from. */
export interface RenderSources {
  readonly renderer: Renderer;
  readonly policy: Policy;
  /** SHA-256 of a text in hex. */
  readonly digest: (text: string) => string;
}

/** Digest of everything in the spec that decides what the chart renders to. */
export function inputDigest(service: MiniService, digest: (text: string) => string): string {
  const chart = service.spec.helmChartConfig ?? {};
  const inputs = {
    url: chart.url ?? "",
    serviceName: chart.serviceName ?? "",
    servicePort: chart.servicePort ?? null,
    values: (chart.values ?? null) as JsonValue,
    namespace: service.spec.namespace ?? "",
  };
  return `sha256:${digest(stringifyJson(inputs))}`;
}

/** The render of a service's present inputs, from memory or made now. Never throws but on abort. */
export async function renderFor(
  service: MiniService,
  o: { readonly ctx: Context<MiniService>; readonly sources: RenderSources; readonly memory: Memory },
): Promise<Rendered> {
  const digest = inputDigest(service, o.sources.digest);
  const key = `${service.metadata.uid ?? ""}:${digest}`;
  const held = o.memory.renders.get(key);
  if (held !== undefined) return held;
  const rendered = await tryRender(service, digest, o);
  if (rendered.kind !== "unavailable") keepRender(o.memory, key, rendered);
  return rendered;
}

async function tryRender(
  service: MiniService,
  digest: string,
  { ctx, sources }: { readonly ctx: Context<MiniService>; readonly sources: RenderSources },
): Promise<Rendered> {
  const chart = service.spec.helmChartConfig ?? {};
  const namespace = service.spec.namespace ?? "";
  const { values } = chart;
  if (values !== undefined && values !== null && !isObject(values)) {
    return {
      kind: "invalid",
      inputDigest: digest,
      reason: "ReValResultInvalid",
      message: 'validation errors: ["helmChartConfig.values must be a map"]',
    };
  }
  try {
    const capabilities = await capabilitiesOf(ctx.client, ctx.signal);
    const rendering = await sources.renderer.render(
      {
        url: chart.url ?? "",
        values: values ?? {},
        namespace,
        auth: chart.authConfig?.k8sSecrets ?? [],
        ...capabilities,
      },
      ctx.signal,
    );
    if (rendering.kind === "invalid") return refused(digest, rendering.errors);
    const { serviceName, servicePort } = chart;
    const target =
      serviceName === undefined || serviceName === ""
        ? {}
        : { target: { name: serviceName, port: servicePort ?? undefined } };
    const admitted = sources.policy.admit(rendering.objects, { namespace, digest: sources.digest, ...target });
    if (admitted.errors.length > 0) return refused(digest, admitted.errors);
    const documents = documentsOf(admitted.objects);
    if (documents.kind === "invalid")
      return { kind: "invalid", inputDigest: digest, reason: "UnexpectedInstallError", message: documents.message };
    return {
      kind: "documents",
      inputDigest: digest,
      hash: `sha256:${sources.digest(renderText(admitted.objects))}`,
      documents,
    };
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    if (error instanceof RenderError && !error.retriable)
      return { kind: "invalid", inputDigest: digest, reason: "UnexpectedInstallError", message: messageOf(error) };
    return { kind: "unavailable", inputDigest: digest, message: messageOf(error) };
  }
}

/** The words of a failed validation: Go's %q of the list. */
function refused(digest: string, errors: readonly string[]): Rendered {
  return {
    kind: "invalid",
    inputDigest: digest,
    reason: "ReValResultInvalid",
    message: `validation errors: [${errors.map((e) => JSON.stringify(e)).join(" ")}]`,
  };
}

/** What charts may ask about the cluster: its version, and the versions and kinds that it serves. */
export async function capabilitiesOf(
  client: Client,
  signal: AbortSignal,
): Promise<{ readonly kubeVersion: string; readonly apiVersions: readonly string[] }> {
  const response = await client.transport(
    { method: "GET", path: "/version", headers: { accept: "application/json" } },
    signal,
  );
  const version = JSON.parse(await bodyText(response)) as { readonly gitVersion?: string };
  const served = await client.discovery.preferred({ signal });
  const names = new Set<string>();
  for (const { group, version: v, kind } of served) {
    const gv = group === "" ? v : `${group}/${v}`;
    names.add(gv);
    names.add(`${gv}/${kind}`);
  }
  return { kubeVersion: (version.gitVersion ?? "v1.35.0").replace(/^v/, ""), apiVersions: [...names].sort() };
}
