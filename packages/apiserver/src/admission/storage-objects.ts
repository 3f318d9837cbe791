import { getOwn, getPath, isObject, type JsonObject } from "@fairlead/base";

import { finalizersOf, withMetadata } from "../registry/metadata.js";
import type { Storage } from "../storage/storage.js";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.js";

const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

/** A claim without a class gets the default one, where there is one. */
export function defaultStorageClass(storage: Storage): AdmissionPlugin {
  return {
    name: "DefaultStorageClass",
    mutate: (request) => {
      const claim = created(request, "persistentvolumeclaims");
      if (claim === undefined) return undefined;
      const spec = getOwn(claim, "spec");
      if (!isObject(spec) || getOwn(spec, "storageClassName") !== undefined) return undefined;
      const standard = storage
        .list("storage.k8s.io/storageclasses", { prefix: "" })
        .find((r) => getPath(r.object, "metadata", "annotations", DEFAULT_CLASS) === "true");
      return standard === undefined ? undefined : { ...claim, spec: { ...spec, storageClassName: standard.key } };
    },
  };
}

/** Volumes and claims in use are held by a finalizer. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  mutate: (request) => {
    const claim = created(request, "persistentvolumeclaims");
    if (claim !== undefined) return withFinalizer(claim, "kubernetes.io/pvc-protection");
    const volume = created(request, "persistentvolumes");
    return volume === undefined ? undefined : withFinalizer(volume, "kubernetes.io/pv-protection");
  },
};

function withFinalizer(object: JsonObject, finalizer: string): JsonObject {
  const finalizers = finalizersOf(object);
  return finalizers.includes(finalizer) ? object : withMetadata(object, { finalizers: [...finalizers, finalizer] });
}

function created(
  { operation, endpoint, subresource, object }: AdmissionRequest,
  resource: string,
): JsonObject | undefined {
  const { info } = endpoint.strategy;
  return operation === "CREATE" && info.group === "" && info.resource === resource && subresource === ""
    ? object
    : undefined;
}
