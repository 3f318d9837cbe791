import { FairleadError } from "@fairlead/base";
import type { ControllerDefinition, Runnable } from "@fairlead/runtime";

import { rootCaPublisher, serviceAccountController } from "./accounts/accounts.js";
import { garbageCollector } from "./gc/garbage-collector.js";
import { namespaceController } from "./namespaces/namespaces.js";
import { nodeRegistration } from "./nodes/nodes.js";
import { nodeLifecycleController } from "./nodes/taints.js";
import { NO_DELAYS, type ClusterOptions } from "./options.js";
import { kubelet } from "./pods/kubelet.js";
import { scheduler } from "./scheduler/scheduler.js";
import { abandonedEndpoints, endpointsController } from "./services/endpoints.js";
import { endpointSliceController } from "./services/endpoint-slices.js";
import { volumeBinder } from "./volumes/binder.js";
import { volumeController } from "./volumes/volumes.js";
import { standardClass } from "./volumes/standard-class.js";
import { daemonSetController } from "./workloads/daemon-set.js";
import { deploymentController } from "./workloads/deployment.js";
import { disruptionController } from "./workloads/disruption.js";
import { jobController, orphanedJobPods } from "./workloads/job.js";
import { replicaSetController } from "./workloads/replica-set.js";
import { statefulSetController } from "./workloads/stateful-set.js";

/** What a manager runs to be a cluster. */
export interface Cluster {
  readonly controllers: readonly ControllerDefinition[];
  readonly runnables: readonly Runnable[];
}

export interface ClusterInput extends ClusterOptions {
  /** PEM of the API server's authority, for `kube-root-ca.crt`. */
  readonly authority: string;
}

interface Part {
  readonly controllers?: readonly ControllerDefinition[];
  readonly runnables?: readonly Runnable[];
}

/** Every part by the name that kube-controller-manager gives it; `scheduler` and `kubelet` beside them. */
function parts(input: ClusterInput): ReadonlyMap<string, Part> {
  return new Map<string, Part>([
    ["daemonset-controller", { controllers: [daemonSetController()] }],
    ["deployment-controller", { controllers: [deploymentController()] }],
    ["disruption-controller", { controllers: [disruptionController()] }],
    ["endpoints-controller", { controllers: [endpointsController(), abandonedEndpoints()] }],
    ["endpointslice-controller", { controllers: [endpointSliceController()] }],
    ["garbage-collector-controller", { runnables: [garbageCollector] }],
    ["job-controller", { controllers: [jobController(), orphanedJobPods()] }],
    ["namespace-controller", { controllers: [namespaceController()] }],
    ["node-lifecycle-controller", { controllers: [nodeLifecycleController()] }],
    ["persistentvolume-binder-controller", { controllers: [volumeBinder(), volumeController()] }],
    ["replicaset-controller", { controllers: [replicaSetController()] }],
    ["root-ca-certificate-publisher-controller", { controllers: [rootCaPublisher({ authority: input.authority })] }],
    ["serviceaccount-controller", { controllers: [serviceAccountController()] }],
    ["statefulset-controller", { controllers: [statefulSetController()] }],
    [
      "kubelet",
      {
        controllers: [kubelet({ nodes: new Set(input.nodes.map((n) => n.name)), delays: input.delays })],
        // Whoever has the nodes makes volumes for them.
        runnables: [nodeRegistration(input.nodes), standardClass],
      },
    ],
    ["scheduler", { controllers: [scheduler()] }],
  ]);
}

/** The names of the parts. */
export function controllerNames(): readonly string[] {
  return [...parts({ nodes: [], delays: NO_DELAYS, authority: "" }).keys()];
}

/** Controllers of kube-controller-manager that have no part here: lists may name them, and nothing happens. */
const ABSENT: ReadonlySet<string> = new Set([
  "bootstrap-signer-controller",
  "certificatesigningrequest-approving-controller",
  "certificatesigningrequest-cleaner-controller",
  "certificatesigningrequest-signing-controller",
  "clusterrole-aggregation-controller",
  "cronjob-controller",
  "endpointslice-mirroring-controller",
  "ephemeral-volume-controller",
  "horizontal-pod-autoscaler-controller",
  "legacy-serviceaccount-token-cleaner-controller",
  "node-ipam-controller",
  "node-route-controller",
  "persistentvolume-attach-detach-controller",
  "persistentvolume-expander-controller",
  "persistentvolume-protection-controller",
  "persistentvolumeclaim-protection-controller",
  "pod-garbage-collector-controller",
  "replicationcontroller-controller",
  "resourcequota-controller",
  "serviceaccount-token-controller",
  "storage-version-migrator-controller",
  "taint-eviction-controller",
  "token-cleaner-controller",
  "ttl-after-finished-controller",
  "ttl-controller",
  "validatingadmissionpolicy-status-controller",
]);

/** A name in a list of controllers that nobody knows. */
export class UnknownControllerError extends FairleadError {
  constructor(name: string, known: readonly string[]) {
    super(
      "UnknownController",
      `no controller is named ${name}; known are ${known.join(", ")}; * is all of them, -NAME leaves one out, none is nothing`,
    );
  }
}

/**
 * A simulated cluster out of the parts that a list names, as kube-controller-manager reads it: `*` is all, `name` adds,
 * `-name` takes away; `none` is nothing.
 *
 * @throws UnknownControllerError with the names that are known.
 */
export function simulatedCluster(input: ClusterInput, list: readonly string[] = ["*"]): Cluster {
  const all = parts(input);
  const asked = list.map((name) => name.trim()).filter((name) => name !== "" && name !== "none");
  for (const name of asked) {
    const bare = name.replace(/^-/, "");
    if (name !== "*" && !all.has(bare) && !ABSENT.has(bare)) throw new UnknownControllerError(name, [...all.keys()]);
  }
  const chosen = [...all].filter(
    ([name]) => !asked.includes(`-${name}`) && (asked.includes("*") || asked.includes(name)),
  );
  return {
    controllers: chosen.flatMap(([, part]) => part.controllers ?? []),
    runnables: chosen.flatMap(([, part]) => part.runnables ?? []),
  };
}
