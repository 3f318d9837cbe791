import { kinds } from "@fairlead/client";
import type { Context } from "@fairlead/runtime";

/** Something that a pod refers to and that is not there. */
export interface MissingReference {
  /** The reason of the Event: `FailedMount`, or `Failed` for environments. */
  readonly reason: string;
  readonly message: string;
  /** What the containers wait with. */
  readonly waiting: "ContainerCreating" | "CreateContainerConfigError";
}

interface Reference {
  readonly kind: "Secret" | "ConfigMap";
  readonly name: string;
  readonly volume: string | undefined;
}

type Named = { readonly name?: string; readonly optional?: boolean } | undefined;

/** The first Secret or ConfigMap that the pod needs and that its namespace does not have. */
export async function missingReference(pod: kinds.Pod, ctx: Context<kinds.Pod>): Promise<MissingReference | undefined> {
  const namespace = pod.metadata.namespace ?? "";
  const asked = new Set<string>();
  for (const reference of referencesOf(pod)) {
    const id = `${reference.kind}/${reference.name}`;
    if (asked.has(id)) continue;
    asked.add(id);
    const key = { namespace, name: reference.name };
    const found =
      reference.kind === "Secret"
        ? await ctx.client.api(kinds.Secret).find(key, { signal: ctx.signal })
        : await ctx.client.api(kinds.ConfigMap).find(key, { signal: ctx.signal });
    if (found === undefined) return missing(reference);
  }
  return undefined;
}

function missing({ kind, name, volume }: Reference): MissingReference {
  const what = `${kind.toLowerCase()} ${JSON.stringify(name)} not found`;
  if (volume !== undefined)
    return {
      reason: "FailedMount",
      message: `MountVolume.SetUp failed for volume ${JSON.stringify(volume)} : ${what}`,
      waiting: "ContainerCreating",
    };
  return { reason: "Failed", message: `Error: ${what}`, waiting: "CreateContainerConfigError" };
}

/** Everything that the pod's volumes and environments need, optional ones left out; volumes first. */
function referencesOf(pod: kinds.Pod): readonly Reference[] {
  const references: Reference[] = [];
  const add = (kind: Reference["kind"], from: Named, volume?: string): void => {
    if (from?.name !== undefined && from.name !== "" && from.optional !== true)
      references.push({ kind, name: from.name, volume });
  };
  for (const volume of pod.spec?.volumes ?? []) {
    const secret = volume.secret;
    if (secret?.secretName !== undefined && secret.optional !== true)
      references.push({ kind: "Secret", name: secret.secretName, volume: volume.name });
    add("ConfigMap", volume.configMap, volume.name);
    for (const source of volume.projected?.sources ?? []) {
      add("Secret", source["secret"] as Named, volume.name);
      add("ConfigMap", source["configMap"] as Named, volume.name);
    }
  }
  for (const container of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]) {
    for (const env of container.env ?? []) {
      add("Secret", env.valueFrom?.secretKeyRef);
      add("ConfigMap", env.valueFrom?.configMapKeyRef);
    }
    for (const from of container.envFrom ?? []) {
      add("Secret", from.secretRef);
      add("ConfigMap", from.configMapRef);
    }
  }
  return references;
}
