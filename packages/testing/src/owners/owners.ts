import type { KubernetesObject } from "@fairlead/apimachinery";
import type { JsonValue } from "@fairlead/base";
import { decodeManagedFields, formatPath, leaves, parseIdentity, pathsOf } from "@fairlead/ssa";

/**
 * Who owns which fields of an object: paths (`.spec.ports[port=80,protocol="TCP"]`), sorted, by manager. A manager that
 * wrote a subresource stands beside itself as `name/status`. Only the ends of paths are named, not what is on the way.
 */
export type Owners = Readonly<Record<string, readonly string[]>>;

/** The owners by an object's own `managedFields`. */
export function ownersOf(object: KubernetesObject): Owners {
  const { managers } = decodeManagedFields(object.metadata.managedFields as unknown as JsonValue | undefined);
  const owners = new Map<string, Set<string>>();
  for (const [key, { set }] of managers) {
    const { manager, subresource } = parseIdentity(key);
    const name = subresource === "" ? manager : `${manager}/${subresource}`;
    const paths = owners.get(name) ?? new Set();
    for (const path of pathsOf(leaves(set))) paths.add(formatPath(path));
    owners.set(name, paths);
  }
  return Object.fromEntries(
    [...owners].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, paths]) => [name, [...paths].sort()]),
  );
}
