import { kinds, removeFinalizer } from "@fairlead/client";
import { defineController, settled, type ControllerDefinition } from "@fairlead/runtime";

const PROTECTION = "kubernetes.io/pv-protection";

/** Offers volumes that no claim has, and lets those go that are deleted and bound to none. */
export function volumeController(): ControllerDefinition {
  return defineController<kinds.PersistentVolume>({
    name: "persistentvolume-phase",
    fieldManager: "kube-controller-manager",
    for: kinds.PersistentVolume,
    reconcile: async (volume, ctx) => {
      const phase = volume.status?.phase ?? "Pending";
      if (volume.metadata.deletionTimestamp !== undefined) {
        if (phase !== "Bound")
          await removeFinalizer(ctx.client.api(kinds.PersistentVolume), volume, PROTECTION, { signal: ctx.signal });
      } else if (phase === "Pending" && volume.spec?.claimRef === undefined) await ctx.status({ phase: "Available" });
      return settled();
    },
  });
}
