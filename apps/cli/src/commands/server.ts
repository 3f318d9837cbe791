import { whenAborted } from "@fairlead/base";
import { startListeningServer } from "@fairlead/apiserver/node";

import { interruption, type Terminal } from "../terminal.js";
import { stateDirectory } from "../state-directory.js";
import { commandLogger } from "./logger.js";

export interface ServerFlags {
  readonly port: number;
  readonly dataDir?: string;
  readonly memory?: boolean;
  readonly controllers: string;
  readonly disableAdmissionPlugins?: string;
  readonly emptiedContainers?: "empty" | "null";
  readonly kubeconfig?: string;
  readonly tokenFile?: string;
}

/** `fairlead server`: the embedded API server, with or without controllers, until it is interrupted. */
export async function serverCommand(flags: ServerFlags, terminal: Terminal): Promise<void> {
  const interrupted = interruption(terminal.signals);
  const state = stateDirectory(terminal.env);
  const kubeconfig = flags.kubeconfig ?? `${state}/kubeconfig`;
  const logger = commandLogger(terminal);
  // Loaded while the server starts.
  const loading = flags.controllers === "none" ? undefined : import("./controllers.js");
  const server = await startListeningServer({
    logger,
    port: flags.port,
    kubeconfigFile: kubeconfig,
    tokenFile: flags.tokenFile ?? `${state}/token`,
    ...(flags.dataDir === undefined ? {} : { dataDirectory: flags.dataDir }),
    ...(flags.disableAdmissionPlugins === undefined
      ? {}
      : { disableAdmissionPlugins: flags.disableAdmissionPlugins.split(",") }),
    ...(flags.emptiedContainers === undefined ? {} : { emptiedContainers: flags.emptiedContainers }),
  });
  try {
    const controllers = await (await loading)?.startControllers({ server, list: flags.controllers, logger });
    try {
      terminal.stdout.write(`${JSON.stringify({ ready: true, url: server.url, kubeconfig })}\n`);
      await whenAborted(interrupted.signal);
    } finally {
      await controllers?.close();
    }
  } finally {
    await server.close();
    interrupted.release();
  }
}
