import { failure, StatusError } from "@fairlead/apimachinery";

import { forbidden, notFound } from "../registry/failures.js";
import { isTerminating } from "../registry/metadata.js";
import type { Storage } from "../storage/storage.js";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.js";

const PROTECTED = new Set(["default", "kube-system", "kube-public"]);

/** Nothing is created in a namespace that is missing or going away, and the system's own namespaces stay. */
export function namespaceLifecycle(storage: Storage): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",
    mutate: (request) => {
      if (request.operation === "CREATE") checkCreate(storage, request);
      return undefined;
    },
    validate: ({ operation, endpoint, name }) => {
      const { info } = endpoint.strategy;
      if (operation === "DELETE" && info.group === "" && info.resource === "namespaces" && PROTECTED.has(name)) {
        throw forbidden(info, name, "this namespace may not be deleted");
      }
    },
  };
}

function checkCreate(storage: Storage, { endpoint, namespace, name }: AdmissionRequest): void {
  const { info } = endpoint.strategy;
  if (!info.namespaced || namespace === undefined) return;
  if (info.resource.endsWith("accessreviews") && info.group === "authorization.k8s.io") return;
  const record = storage.getForWrite("/namespaces", namespace);
  if (record === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
  if (!isTerminating(record.object)) return;
  const refusal = forbidden(
    info,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  throw new StatusError(failure(403, "Forbidden", refusal.message, { ...refusal.status.details, causes: [cause] }));
}
