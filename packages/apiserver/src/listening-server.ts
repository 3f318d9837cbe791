import { FairleadError, jsonLogger, messageOf, type Files, type Logger } from "@fairlead/base";
import { systemClock, systemFiles, systemRandom } from "@fairlead/base/node";
import type { EmptiedContainer } from "@fairlead/ssa";

import { certificateAuthority, serverCertificate, type KeyPair } from "./auth/certificates/certificates.js";
import { listen } from "./http/node.js";
import { httpsWebhooks } from "./http/webhook-transport.js";
import { startApiServer, type ApiServer } from "./server.js";
import { restoreStorage, snapshotStorage, type BackupReport } from "./storage/backup.js";
import { openDiskStorage } from "./storage/disk.js";
import { lockDirectory } from "./storage/lock.js";
import { kubeconfig } from "./auth/kubeconfig.js";
import { signingKeyOf } from "./auth/service-account-tokens.js";

export interface ListeningServerOptions {
  /** Any free one when 0 or absent. */
  readonly port?: number;
  /** Where objects and certificates are kept; in memory when absent. */
  readonly dataDirectory?: string;
  /** Written with mode 0600 when given. */
  readonly kubeconfigFile?: string;
  /** Written with mode 0600 when given; holds the token of user `admin`. */
  readonly tokenFile?: string;
  readonly disableAdmissionPlugins?: readonly string[];
  /** What server-side apply leaves of a container whose last child it removes; `empty` by default. */
  readonly emptiedContainers?: EmptiedContainer;
  readonly logger?: Logger;
}

/** An API server on a loopback port. */
export interface ListeningServer {
  readonly api: ApiServer;
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  /** PEM of the authority that clients must trust. */
  readonly authority: string;
  /** Bearer token of user `admin`, group `system:masters`. */
  readonly token: string;
  /** A kubeconfig with all of this. */
  readonly kubeconfig: string;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const HOST = "127.0.0.1";
const NAMES = ["localhost", "127.0.0.1", "::1", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];

interface Identity {
  readonly authority: KeyPair;
  readonly token: string;
}

/**
 * Starts an API server with TLS on loopback, a CA of its own and a random admin token.
 *
 * @throws FairleadError `PortInUse`, `PortForbidden`, `DataDirectory`, `DataDirectoryLocked`
 */
export async function startListeningServer(options: ListeningServerOptions = {}): Promise<ListeningServer> {
  const files = systemFiles;
  const logger =
    options.logger ??
    jsonLogger((line) => process.stderr.write(`${line}\n`), { level: "warn", now: () => systemClock.now() });
  const { dataDirectory } = options;
  const unlock = dataDirectory === undefined ? undefined : await lockDirectory(dataDirectory);
  try {
    const identity = await identityOf(files, dataDirectory);
    const storage =
      dataDirectory === undefined
        ? undefined
        : await openDiskStorage({
            files,
            directory: `${dataDirectory}/storage`,
            onTrouble: (message, error) => logger.error(message, { error }),
          });
    let port = 0;
    const api = await startApiServer({
      clock: systemClock,
      random: systemRandom,
      logger,
      ...(storage === undefined ? {} : { storage }),
      ...(options.disableAdmissionPlugins === undefined
        ? {}
        : { disableAdmissionPlugins: options.disableAdmissionPlugins }),
      ...(options.emptiedContainers === undefined ? {} : { emptiedContainers: options.emptiedContainers }),
      signingKey: signingKeyOf(identity.token),
      tokens: new Map([[identity.token, { username: "admin", groups: ["system:masters"] }]]),
      webhooks: httpsWebhooks,
      address: () => `${HOST}:${port}`,
    });
    try {
      const certificate = serverCertificate(identity.authority, {
        commonName: "kube-apiserver",
        names: NAMES,
        nowMs: systemClock.now(),
        random: systemRandom,
      });
      const listening = await listen({
        handler: (request, signal) => api.handle(request, signal),
        logger,
        certificate,
        authority: identity.authority.certificate,
        host: HOST,
        port: options.port ?? 0,
      });
      port = listening.port;
      const url = `https://${HOST}:${port}`;
      const config = kubeconfig({ server: url, authority: identity.authority.certificate, token: identity.token });
      await writeSecret(files, options.kubeconfigFile, config);
      await writeSecret(files, options.tokenFile, identity.token);
      const close = async (): Promise<void> => {
        await listening.close();
        await api.close();
        await unlock?.();
      };
      return {
        api,
        url,
        authority: identity.authority.certificate,
        token: identity.token,
        kubeconfig: config,
        close,
        [Symbol.asyncDispose]: close,
      };
    } catch (error) {
      await api.close();
      throw error;
    }
  } catch (error) {
    await unlock?.();
    throw error;
  }
}

/** Writes a data folder's objects into a file, also while a server has it. @throws FairleadError `DataDirectory` */
export function snapshotDataDirectory(files: Files, dataDirectory: string, path: string): Promise<BackupReport> {
  return snapshotStorage(files, `${dataDirectory}/storage`, path);
}

/** Makes a data folder of such a file. @throws FairleadError `DataDirectory`, `DataDirectoryLocked` */
export async function restoreDataDirectory(files: Files, path: string, dataDirectory: string): Promise<BackupReport> {
  const unlock = await lockDirectory(dataDirectory);
  try {
    return await restoreStorage(files, path, `${dataDirectory}/storage`);
  } finally {
    await unlock();
  }
}

/** The authority and token: new ones, or with a data folder those of its first start. */
async function identityOf(files: Files, directory: string | undefined): Promise<Identity> {
  const path = directory === undefined ? undefined : `${directory}/identity.json`;
  if (path !== undefined && (await files.exists(path))) {
    try {
      return JSON.parse(new TextDecoder().decode(await files.read(path))) as Identity;
    } catch (cause) {
      throw new FairleadError(
        "DataDirectory",
        `cannot read ${path}: ${messageOf(cause)}; restore it, or move the folder away to start empty`,
        { cause },
      );
    }
  }
  const authority = certificateAuthority({ commonName: "fairlead-ca", nowMs: systemClock.now(), random: systemRandom });
  const identity: Identity = { authority, token: Buffer.from(systemRandom.bytes(32)).toString("base64url") };
  if (path !== undefined) await files.write(path, JSON.stringify(identity), 0o600);
  return identity;
}

async function writeSecret(files: Files, path: string | undefined, text: string): Promise<void> {
  if (path === undefined) return;
  const slash = path.lastIndexOf("/");
  if (slash > 0) await files.makeDirectory(path.slice(0, slash));
  await files.remove(path);
  await files.write(path, text, 0o600);
}
