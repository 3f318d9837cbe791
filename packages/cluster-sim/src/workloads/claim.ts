import type { JsonValue } from "@fairlead/base";
import { isStatus, labelSelectorOf, matchesLabels, type KubernetesObject } from "@fairlead/apimachinery";
import { removeOwnerReference, setOwnerReference, StaleObjectError, type ResourceKind } from "@fairlead/client";
import { watch, type Context, type Trigger } from "@fairlead/runtime";

import { controllerReference } from "./pods.js";

/** An object that owns others by a label selector. */
export interface Selecting extends KubernetesObject {
  readonly spec?: { readonly selector?: unknown };
}

/** Whether an object's selector selects another object. A map is taken as labels that must be equal. */
export function selects(owner: Selecting, object: KubernetesObject): boolean {
  const selector = owner.spec?.selector as JsonValue | undefined;
  if (selector === undefined || selector === null || typeof selector !== "object") return false;
  const form =
    "matchLabels" in selector || "matchExpressions" in selector || Object.keys(selector).length === 0
      ? selector
      : { matchLabels: selector };
  if (Object.keys(form).length === 0) return false;
  return matchesLabels(labelSelectorOf(form), object.metadata.labels ?? {});
}

/** Objects that nobody controls bring those to work that would take them. */
export function orphansOf<O extends Selecting>(owners: ResourceKind<O>, kind: ResourceKind<KubernetesObject>): Trigger {
  return watch(kind, (object, stores) => {
    const { namespace = "", ownerReferences = [] } = object.metadata;
    if (ownerReferences.some((r) => r.controller === true)) return [];
    return stores
      .store(owners)
      .list()
      .filter((owner) => owner.metadata.namespace === namespace && selects(owner, object))
      .map((owner) => ({ namespace, name: owner.metadata.name }));
  });
}

/**
 * Takes what an owner's selector selects and nobody controls, and lets go what it controls and no longer selects
 * (k/k: pkg/controller/controller_ref_manager.go).
 */
export async function claim<O extends Selecting, T extends KubernetesObject>(
  owner: O,
  kinds: {
    readonly owner: ResourceKind<O>;
    readonly claimed: ResourceKind<T>;
    /** Which of what is selected it would take; all by default. */
    readonly takes?: (object: T) => boolean;
  },
  ctx: Context<O>,
): Promise<void> {
  const { namespace = "", uid } = owner.metadata;
  const api = ctx.client.api(kinds.claimed, namespace);
  for (const object of ctx.store(kinds.claimed).list()) {
    if (object.metadata.namespace !== namespace) continue;
    const controller = object.metadata.ownerReferences?.find((r) => r.controller === true);
    const selected = selects(owner, object);
    try {
      if (controller?.uid === uid && controller !== undefined) {
        if (!selected) await removeOwnerReference(api, object, controller.uid, { signal: ctx.signal });
      } else if (controller === undefined && selected && mayAdopt(owner, object) && (kinds.takes?.(object) ?? true))
        await setOwnerReference(api, object, controllerReference(owner, kinds.owner), { signal: ctx.signal });
    } catch (error) {
      // It is another object by now; its next change is looked at anew.
      if (!(error instanceof StaleObjectError) && !isStatus(error, "NotFound")) throw error;
    }
  }
}

function mayAdopt(owner: KubernetesObject, object: KubernetesObject): boolean {
  return owner.metadata.deletionTimestamp === undefined && object.metadata.deletionTimestamp === undefined;
}
