import type { JsonObject } from "@fairlead/base";

import { WORKER_POD, type IcmsRequest, type MiniService } from "../api.js";

/**
 * The companion worker of a service: what stands beside the chart, and whose readiness may stand for the whole. A plug-in,
 * so that others can bring theirs; `neutralWorker` is the built-in one.
 */
export interface WorkerProfile {
  /** The worker's pod, without the metadata that the operator adds. */
  pod(service: MiniService, request: IcmsRequest | undefined): JsonObject;
}

export interface NeutralWorkerOptions {
  readonly image: string;
  readonly initImage: string;
  /** Seconds; 120 by default. */
  readonly terminationGracePeriodSeconds?: number;
  readonly resources?: JsonObject;
  readonly tolerations?: readonly JsonObject[];
  /** What the worker is told about how long it may take to start, e.g. `2h0m0s`. */
  readonly readyTimeout?: string;
}

/** One Pod named `utils` with an init container `init` and a container `utils`, ready when its probe says so. */
export function neutralWorker(options: NeutralWorkerOptions): WorkerProfile {
  const resources = options.resources ?? { requests: { cpu: "100m", memory: "128Mi" } };
  return {
    pod: (service) => {
      const env = [
        { name: "INSTANCE_ID", value: service.metadata.name },
        { name: "HELM_CHART_NAMESPACE", value: service.spec.namespace ?? "" },
        { name: "INFERENCE_READY_TIMEOUT", value: options.readyTimeout ?? "2h0m0s" },
      ];
      return {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: WORKER_POD },
        spec: {
          restartPolicy: "Always",
          terminationGracePeriodSeconds: options.terminationGracePeriodSeconds ?? 120,
          automountServiceAccountToken: false,
          ...(options.tolerations === undefined ? {} : { tolerations: options.tolerations }),
          initContainers: [{ name: "init", image: options.initImage, env, resources }],
          containers: [
            {
              name: WORKER_POD,
              image: options.image,
              env,
              resources,
              readinessProbe: {
                httpGet: { path: "/v1/health/ready", port: 8080 },
                periodSeconds: 10,
                failureThreshold: 2,
                timeoutSeconds: 6,
              },
            },
          ],
        },
      };
    },
  };
}
