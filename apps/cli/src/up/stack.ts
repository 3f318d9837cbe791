import { createHash } from "node:crypto";

import { getOwn, isObject, type Logger } from "@fairlead/base";
import { systemClock, systemRandom } from "@fairlead/base/node";
import { isStatus } from "@fairlead/apimachinery";
import { startListeningServer, type ListeningServer } from "@fairlead/apiserver/node";
import { applyOwned, Client, kinds, ownedPaths, wholeObject } from "@fairlead/client";
import { urlFetcher } from "@fairlead/client/node";
import { ANNOTATIONS, type NodeSpec } from "@fairlead/cluster-sim";
import {
  controlPlane,
  icmsRequestDefinition,
  miniServiceController,
  miniServiceDefinition,
  neutralWorker,
  REQUESTS_NAMESPACE,
  type Policy,
  type WorkerProfile,
} from "@fairlead/miniservice";
import { helmRenderer } from "@fairlead/miniservice/node";
import { Manager } from "@fairlead/runtime";

import { startControllers } from "../commands/controllers.js";

export interface StackOptions {
  readonly port: number;
  readonly dataDirectory?: string;
  readonly kubeconfig: string;
  readonly tokenFile: string;
  readonly helm: string;
  readonly policy: Policy;
  readonly logger: Logger;
}

/** Everything that `up` starts: API server, simulated cluster, definitions, operator and control plane. */
export interface Stack {
  readonly server: ListeningServer;
  /** Asks as the person at the terminal. */
  readonly client: Client;
  close(): Promise<void>;
}

/** Three nodes with room for one decode worker of the sample chart each, and a GPU to spare. */
export const UP_NODES: readonly NodeSpec[] = ["gpu-node-1", "gpu-node-2", "gpu-node-3"].map((name) => ({
  name,
  labels: { "nvidia.com/gpu.present": "true" },
  capacity: { cpu: "64", memory: "256Gi", "ephemeral-storage": "1Ti", pods: "110", "nvidia.com/gpu": "4" },
}));

const IMAGE = "registry.k8s.io/pause:3.10";

/** The built-in worker; its simulated probe answers once the chart's entry Service does. */
function simulatedWorker(): WorkerProfile {
  const worker = neutralWorker({ image: IMAGE, initImage: IMAGE });
  return {
    pod: (service, request) => {
      const pod = worker.pod(service, request);
      const entry = service.spec.helmChartConfig?.serviceName ?? "";
      if (entry === "") return pod;
      const metadata = getOwn(pod, "metadata");
      return {
        ...pod,
        metadata: { ...(isObject(metadata) ? metadata : {}), annotations: { [ANNOTATIONS.readyWithService]: entry } },
      };
    },
  };
}

/** Starts all of it in order; what was started is stopped again when a later part cannot be. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closers.splice(0).reverse()) await end();
  };
  try {
    const server = await startListeningServer({
      port: options.port,
      kubeconfigFile: options.kubeconfig,
      tokenFile: options.tokenFile,
      logger: options.logger,
      ...(options.dataDirectory === undefined ? {} : { dataDirectory: options.dataDirectory }),
    });
    closers.push(() => server.close());
    const connect = (username: string, fieldManager: string): Client =>
      new Client({
        transport: server.api.transport({ username, groups: ["system:masters", "system:authenticated"] }),
        clock: systemClock,
        random: systemRandom,
        fieldManager,
      });
    const client = connect("admin", "fairlead-up");
    await installDefinitions(client);
    await ensureNamespace(client, REQUESTS_NAMESPACE);
    const cluster = await startControllers({ server, list: "*", nodes: UP_NODES, logger: options.logger });
    closers.push(() => cluster.close());
    const web = urlFetcher({ allowPrivate: true });
    closers.push(() => web.close());
    const renderer = helmRenderer({
      program: options.helm,
      clock: systemClock,
      fetch: web.fetch,
      allowLocal: true,
      includeDefinitions: options.policy.name === "trusted",
    });
    const operator = new Manager({
      client: connect("system:serviceaccount:nvca-system:miniservice-controller", "miniservice-controller"),
      clock: systemClock,
      random: systemRandom,
      logger: options.logger,
      stopMs: 1000,
      controllers: [
        miniServiceController({
          renderer,
          policy: options.policy,
          worker: simulatedWorker(),
          digest: (text) => createHash("sha256").update(text).digest("hex"),
        }),
        controlPlane({ purge: false }),
      ],
    });
    closers.push(() => operator.close());
    await operator.start(new AbortController().signal);
    return { server, client, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Applies our definitions and waits until they are served. */
async function installDefinitions(client: Client): Promise<void> {
  const signal = new AbortController().signal;
  for (const definition of [miniServiceDefinition, icmsRequestDefinition]) {
    const { name } = definition.metadata;
    const owned = ownedPaths(
      wholeObject(kinds.CustomResourceDefinition),
      { name },
      definition as unknown as Readonly<Record<string, unknown>>,
    );
    await applyOwned(client, owned, { onConflict: "take" });
    for (let tries = 0; tries < 200; tries++) {
      const live = await client.api(kinds.CustomResourceDefinition).get(name);
      if ((live.status?.conditions ?? []).some((c) => c.type === "Established" && c.status === "True")) break;
      await systemClock.sleep(10, signal);
    }
  }
}

async function ensureNamespace(client: Client, name: string): Promise<void> {
  try {
    await client.api(kinds.Namespace).create({ metadata: { name } });
  } catch (error) {
    if (!isStatus(error, "AlreadyExists")) throw error;
  }
}
