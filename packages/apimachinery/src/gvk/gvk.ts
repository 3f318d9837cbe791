/** What an object says it is. The core group is `""`. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Where objects are served. `resource` is the plural, lower-case URL word. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** `v1` or `apps/v1`. */
export function formatGroupVersion(gv: { readonly group: string; readonly version: string }): string {
  return gv.group === "" ? gv.version : `${gv.group}/${gv.version}`;
}

/** The inverse of `formatGroupVersion`; undefined for more than one slash. */
export function parseGroupVersion(text: string): { readonly group: string; readonly version: string } | undefined {
  const parts = text.split("/");
  if (parts.length === 1) return { group: "", version: parts[0] as string };
  if (parts.length === 2) return { group: parts[0] as string, version: parts[1] as string };
  return undefined;
}

/** `apps/v1, Kind=Deployment`, as Kubernetes' messages print it. */
export function formatGvk(gvk: GroupVersionKind): string {
  return `${formatGroupVersion(gvk)}, Kind=${gvk.kind}`;
}

/** `deployments.apps` or `pods`. */
export function formatGroupResource(gr: { readonly group: string; readonly resource: string }): string {
  return gr.group === "" ? gr.resource : `${gr.resource}.${gr.group}`;
}

/** `Deployment.apps` or `Pod`. */
export function formatGroupKind(gk: { readonly group: string; readonly kind: string }): string {
  return gk.group === "" ? gk.kind : `${gk.kind}.${gk.group}`;
}
