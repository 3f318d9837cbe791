import { dirname, isAbsolute, join } from "node:path";
import type { Credentials, NodeTransportOptions } from "../transport/node-transport.js";
import { basicAuth, execToken, fileToken, impersonating, staticToken } from "./credentials.js";
import { runExecPlugin } from "./exec.js";
import {
  accessOf,
  KubeconfigError,
  mergeKubeconfigs,
  parseKubeconfig,
  type Access,
  type Kubeconfig,
  type Machine,
} from "./kubeconfig.js";
import { never } from "@fairlead/base";

/** How to reach a cluster, ready for `nodeTransport`. */
export interface Connect extends NodeTransportOptions {
  /** The namespace to use when none is named. */
  readonly namespace: string;
}

/**
 * Reads kubeconfig files and what they refer to.
 *
 * @param paths - Absolute; the parts of `KUBECONFIG`, or `~/.kube/config`. Files that are not there are left out, as kubectl does.
 * @throws KubeconfigError
 */
export async function loadKubeconfig(paths: readonly string[], machine: Machine, context?: string): Promise<Connect> {
  const configs: Kubeconfig[] = [];
  for (const path of paths) {
    if (!(await machine.files.exists(path))) continue;
    configs.push(absolute(parseKubeconfig(await readText(path, machine)), dirname(path)));
  }
  if (configs.length === 0) throw new KubeconfigError(`There is no kubeconfig at ${paths.join(", ")}`);
  return connectTo(accessOf(mergeKubeconfigs(configs), context), machine);
}

/** Turns an access into what a transport needs: reads certificates, prepares credentials. */
export async function connectTo(access: Access, machine: Machine): Promise<Connect> {
  const { cluster, user } = access;
  const inPlace = async (data: string | undefined, path: string | undefined): Promise<string | undefined> => {
    if (data !== undefined && data !== "") return Buffer.from(data, "base64").toString("utf8");
    return path === undefined || path === "" ? undefined : readText(path, machine);
  };
  let cert = await inPlace(user["client-certificate-data"], user["client-certificate"]);
  let key = await inPlace(user["client-key-data"], user["client-key"]);
  const { exec } = user;
  if (exec !== undefined && cert === undefined) {
    const status = (await runExecPlugin(exec, machine.env, never)).status;
    cert = status?.clientCertificateData;
    key = status?.clientKeyData;
  }
  return {
    server: cluster.server,
    namespace: access.namespace,
    ca: await inPlace(cluster["certificate-authority-data"], cluster["certificate-authority"]),
    cert,
    key,
    tlsServerName: cluster["tls-server-name"],
    insecureSkipTlsVerify: cluster["insecure-skip-tls-verify"],
    credentials: credentialsOf(access, machine),
  };
}

/** Where Kubernetes puts a pod's account. */
const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * How a pod reaches the cluster it runs in.
 *
 * @throws KubeconfigError when this is no pod, or one without an account.
 */
export async function inCluster(machine: Machine): Promise<Connect> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = machine.env;
  if (host === undefined || port === undefined || !(await machine.files.exists(`${ACCOUNT}/token`))) {
    throw new KubeconfigError(
      "This is no pod with a service account: KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT or its token are missing",
    );
  }
  const namespacePath = `${ACCOUNT}/namespace`;
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    namespace: (await machine.files.exists(namespacePath))
      ? (await readText(namespacePath, machine)).trim()
      : "default",
    ca: await readText(`${ACCOUNT}/ca.crt`, machine),
    credentials: fileToken(`${ACCOUNT}/token`, machine),
  };
}

function credentialsOf({ user }: Access, machine: Machine): Credentials | undefined {
  const inner = ownCredentials(user, machine);
  if (user.as === undefined || user.as === "") return inner;
  const { "as-groups": groups, "as-uid": uid } = user;
  return impersonating(
    { user: user.as, ...(groups === undefined ? {} : { groups }), ...(uid === undefined ? {} : { uid }) },
    inner,
  );
}

function ownCredentials(user: Access["user"], machine: Machine): Credentials | undefined {
  const { token, tokenFile, exec, username, password } = user;
  if (tokenFile !== undefined && tokenFile !== "") return fileToken(tokenFile, machine);
  if (token !== undefined && token !== "") return staticToken(token);
  if (exec !== undefined) return execToken((signal) => runExecPlugin(exec, machine.env, signal), machine.clock);
  if (username !== undefined && password !== undefined) return basicAuth(username, password);
  return undefined;
}

/** Paths in a kubeconfig are relative to its folder. */
function absolute(config: Kubeconfig, folder: string): Kubeconfig {
  const within = (path: string | undefined): string | undefined =>
    path === undefined || path === "" || isAbsolute(path) ? path : join(folder, path);
  const rewrite = <T extends object>(value: T, keys: readonly (keyof T)[]): T => {
    const copy = { ...value };
    for (const key of keys) if (copy[key] !== undefined) copy[key] = within(copy[key] as string) as T[keyof T];
    return copy;
  };
  return {
    ...config,
    clusters: (config.clusters ?? []).map((one) => ({
      ...one,
      cluster: rewrite(one.cluster, ["certificate-authority"]),
    })),
    users: (config.users ?? []).map((one) => ({
      ...one,
      user: rewrite(one.user ?? {}, ["client-certificate", "client-key", "tokenFile"]),
    })),
  };
}

async function readText(path: string, machine: Machine): Promise<string> {
  return new TextDecoder().decode(await machine.files.read(path));
}
