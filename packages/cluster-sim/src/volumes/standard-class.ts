import { isStatus } from "@fairlead/apimachinery";
import { kinds } from "@fairlead/client";
import type { Runnable } from "@fairlead/runtime";

import { STANDARD_CLASS } from "./binder.js";

/** Installs the default storage class, whose volumes the binder makes. */
export const standardClass: Runnable = {
  name: "standard-storage-class",
  run: async ({ client }, signal) => {
    try {
      await client.api(kinds.StorageClass).create(
        {
          metadata: { name: STANDARD_CLASS, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
          provisioner: "sim.fairlead.dev/volumes",
          reclaimPolicy: "Delete",
          volumeBindingMode: "Immediate",
        },
        { signal },
      );
    } catch (error) {
      if (!isStatus(error, "AlreadyExists")) throw error;
    }
  },
};
