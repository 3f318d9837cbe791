import { silentLogger, type Logger } from "@fairlead/base";
import { systemClock, systemRandom } from "@fairlead/base/node";
import type { ListeningServer } from "@fairlead/apiserver/node";
import { Client } from "@fairlead/client";
import { DEFAULT_DELAYS, DEFAULT_NODES, simulatedCluster, type Delays, type NodeSpec } from "@fairlead/cluster-sim";
import { Manager } from "@fairlead/runtime";

export interface ControllersOptions {
  readonly server: ListeningServer;
  /** As `--controllers` takes it. */
  readonly list: string;
  readonly nodes?: readonly NodeSpec[];
  readonly delays?: Delays;
  readonly logger?: Logger;
}

/** Starts the simulated cluster's controllers against a server in this process; resolves when they are at work. */
export async function startControllers(options: ControllersOptions): Promise<Manager> {
  const { server, list, nodes = DEFAULT_NODES, delays = DEFAULT_DELAYS, logger = silentLogger } = options;
  const client = new Client({
    transport: server.api.transport({
      username: "system:kube-controller-manager",
      groups: ["system:masters", "system:authenticated"],
    }),
    clock: systemClock,
    random: systemRandom,
    fieldManager: "kube-controller-manager",
  });
  const cluster = simulatedCluster({ nodes, delays, authority: server.authority }, list.split(","));
  const manager = new Manager({ client, clock: systemClock, random: systemRandom, logger, stopMs: 1000, ...cluster });
  await manager.start(new AbortController().signal);
  return manager;
}
