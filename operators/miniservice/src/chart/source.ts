import { RenderError, redactedUrl } from "../render/renderer.js";

/** Where a chart is. */
export type ChartSource =
  /** A folder or an archive on this machine. */
  | { readonly kind: "local"; readonly path: string }
  | { readonly kind: "https"; readonly url: URL }
  /** `reference` is a tag or a digest. */
  | { readonly kind: "oci"; readonly host: string; readonly repository: string; readonly reference: string };

/**
 * Reads a chart's URL.
 *
 * @throws RenderError, never retriable, for a scheme that charts do not come by.
 */
export function chartSource(url: string, options: { readonly allowLocal: boolean }): ChartSource {
  const refuse = (why: string): never => {
    throw new RenderError(`chart ${redactedUrl(url)}: ${why}`, { retriable: false });
  };
  if (url === "") return refuse("spec.helmChartConfig.url is empty; set it to an https:// or oci:// address");
  if (url.startsWith("oci://")) return ociSource(url, refuse);
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return refuse("not a URL; use https:// or oci://");
  }
  switch (parsed.protocol) {
    case "https:":
      return { kind: "https", url: parsed };
    case "file:":
      if (!options.allowLocal) return refuse("local charts are not allowed here; use https:// or oci://");
      return { kind: "local", path: decodeURIComponent(parsed.pathname) };
    default:
      return refuse(`${parsed.protocol}// is not supported; use https:// or oci://`);
  }
}

function ociSource(url: string, refuse: (why: string) => never): ChartSource {
  const match = /^oci:\/\/([^/]+)\/([^@]+?)(?:@(sha256:[0-9a-f]{64})|:([\w][\w.+-]{0,127}))?$/.exec(url);
  if (match === null) return refuse("not an OCI reference; use oci://HOST/REPOSITORY:VERSION");
  const [, host = "", repository = "", digest, tag] = match;
  const reference = digest ?? tag;
  if (reference === undefined) return refuse("names no version; use oci://HOST/REPOSITORY:VERSION");
  return { kind: "oci", host, repository, reference: reference.replaceAll("+", "_") };
}
