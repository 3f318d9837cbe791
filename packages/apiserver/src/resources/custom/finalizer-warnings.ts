import { byCodeUnit, getPath, isArray, type JsonObject } from "@fairlead/base";
import { isQualifiedName } from "@fairlead/apimachinery";

const STANDARD: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** Warnings about new finalizers of a custom resource (apiextensions-apiserver: registry/customresource/strategy.go). */
export function finalizerWarnings(object: JsonObject, live: JsonObject | undefined): readonly string[] {
  const before = live === undefined ? [] : finalizersOf(live);
  const added = [...new Set(finalizersOf(object))].filter((name) => !before.includes(name)).sort(byCodeUnit);
  return added.flatMap((name) => {
    const subject = `metadata.finalizers: ${JSON.stringify(name)}`;
    const warnings = isQualifiedName(name).map((message) => `${subject}: ${message}`);
    if (name.includes("/") || STANDARD.has(name)) return warnings;
    return [
      ...warnings,
      `${subject}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    ];
  });
}

function finalizersOf(object: JsonObject): readonly string[] {
  const finalizers = getPath(object, "metadata", "finalizers");
  return isArray(finalizers) ? finalizers.filter((name) => typeof name === "string") : [];
}
