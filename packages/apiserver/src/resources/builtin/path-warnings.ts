// Warnings about files of volumes that hide one another (k/k: warningsForOverlappingVirtualPaths).
import { goQuote } from "@fairlead/apimachinery";
import type { JsonObject } from "@fairlead/base";
import { at, obj, objs, str } from "./access.js";

interface Source {
  readonly path: string;
  readonly from: string;
}

/** Warnings about volumes two of whose files have the same path, or one below the other. */
export function overlapWarnings(volumes: readonly JsonObject[]): readonly string[] {
  return volumes.flatMap((volume) => [
    ...["configMap", "secret", "downwardAPI"].flatMap((key) => {
      const source = obj(volume, key);
      if (source === undefined) return [];
      const shown =
        key === "configMap"
          ? `ConfigMap ${goQuote(str(source, "name"))}`
          : key === "secret"
            ? `Secret ${goQuote(str(source, "secretName"))}`
            : "DownwardAPI";
      return overlaps(itemsOf(source, "")).map((text) => warning(volume, shown, text));
    }),
    ...projectedWarnings(volume),
  ]);
}

function warning(volume: JsonObject, kind: string, text: string): string {
  return `volume ${goQuote(str(volume, "name"))} (${kind}): overlapping paths: ${text}`;
}

function itemsOf(source: JsonObject, from: string): readonly Source[] {
  return objs(source, "items").map((item) => ({ path: str(item, "path"), from }));
}

function projectedWarnings(volume: JsonObject): readonly string[] {
  const sources = objs(obj(volume, "projected"), "sources");
  const empty = sources
    .filter((source) => Object.keys(source).length === 0)
    .map(() => `volume ${goQuote(str(volume, "name"))} (Projected) has no sources provided`);
  return [...empty, ...overlaps(sources.flatMap(projectedSource)).map((text) => warning(volume, "Projected", text))];
}

function projectedSource(source: JsonObject): readonly Source[] {
  for (const [key, kind] of [
    ["configMap", "ConfigMap"],
    ["secret", "Secret"],
  ] as const) {
    const of = obj(source, key);
    if (of !== undefined && objs(of, "items").length > 0) return itemsOf(of, `${kind} ${goQuote(str(of, "name"))}`);
  }
  const downward = obj(source, "downwardAPI");
  if (downward !== undefined) return itemsOf(downward, "DownwardAPI");
  const token = obj(source, "serviceAccountToken");
  if (token !== undefined) return [{ path: str(token, "path"), from: "ServiceAccountToken" }];
  const bundle = at(source, "clusterTrustBundle");
  const name = str(bundle, "name") === "" ? str(bundle, "signerName") : str(bundle, "name");
  return str(bundle, "path") === "" ? [] : [{ path: str(bundle, "path"), from: `ClusterTrustBundle ${goQuote(name)}` }];
}

function overlaps(sources: readonly Source[]): readonly string[] {
  const seen: Source[] = [];
  return sources.flatMap((each) => {
    const source = { ...each, path: each.path.replace(/\/+$/, "") };
    const hits =
      source.path === ""
        ? []
        : seen.filter(
            (other) => other.path !== "" && (isBelow(other.path, source.path) || isBelow(source.path, other.path)),
          );
    seen.push(source);
    return hits.map((other) => `${shown(source)} with ${shown(other)}`);
  });
}

function isBelow(path: string, parent: string): boolean {
  return `${path}/`.startsWith(`${parent}/`);
}

function shown({ path, from }: Source): string {
  return from === "" ? goQuote(path) : `${goQuote(path)} (${from})`;
}
