import { FairleadError, getOwn, isObject, type Clock, type Files, type JsonObject } from "@fairlead/base";
import { parse } from "yaml";

/** A kubeconfig file, as far as it says how to reach a server. Unknown keys are left alone. */
export interface Kubeconfig {
  readonly "current-context"?: string;
  readonly clusters?: readonly { readonly name: string; readonly cluster: ClusterConfig }[];
  readonly users?: readonly { readonly name: string; readonly user?: UserConfig | null }[];
  readonly contexts?: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user?: string; readonly namespace?: string };
  }[];
}

export interface ClusterConfig {
  readonly server: string;
  readonly "certificate-authority"?: string;
  /** Base64 of PEM. */
  readonly "certificate-authority-data"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
}

export interface UserConfig {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly username?: string;
  readonly password?: string;
  readonly exec?: ExecConfig;
  readonly as?: string;
  readonly "as-uid"?: string;
  readonly "as-groups"?: readonly string[];
}

export interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
}

/** A kubeconfig that cannot be used; the message says which part. */
export class KubeconfigError extends FairleadError {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super("Kubeconfig", message, options);
  }
}

/** A cluster and a user of a kubeconfig, picked by a context; files are still to be read. */
export interface Access {
  readonly context: string;
  readonly cluster: ClusterConfig;
  readonly user: UserConfig;
  /** `default` when the context names none. */
  readonly namespace: string;
}

/**
 * Reads the text of a kubeconfig, YAML or JSON.
 *
 * @throws KubeconfigError
 */
export function parseKubeconfig(text: string): Kubeconfig {
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    throw new KubeconfigError("The kubeconfig is no YAML", { cause });
  }
  if (!isObject(value)) throw new KubeconfigError("The kubeconfig is empty or no mapping");
  const { kind } = value as { readonly kind?: unknown };
  if (kind !== undefined && kind !== "Config")
    throw new KubeconfigError(`The kubeconfig is a ${JSON.stringify(kind)}, not a Config`);
  return value;
}

/**
 * Puts several kubeconfigs together as kubectl does: the first that has a name, or a current context, wins.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const first = <T extends { readonly name: string }>(
    lists: readonly (readonly T[] | null | undefined)[],
  ): readonly T[] => {
    const byName = new Map<string, T>();
    for (const list of lists) for (const one of list ?? []) if (!byName.has(one.name)) byName.set(one.name, one);
    return [...byName.values()];
  };
  const current = configs.map((one) => one["current-context"]).find((name) => name !== undefined && name !== "");
  return {
    ...(current === undefined ? {} : { "current-context": current }),
    clusters: first(configs.map((one) => one.clusters)),
    users: first(configs.map((one) => one.users)),
    contexts: first(configs.map((one) => one.contexts)),
  };
}

/**
 * What a context leads to.
 *
 * @param name - The current context by default.
 * @throws KubeconfigError when it, or what it names, is not there.
 */
export function accessOf(config: Kubeconfig, name?: string): Access {
  const context = name ?? config["current-context"];
  if (context === undefined || context === "")
    throw new KubeconfigError("The kubeconfig has no current context; name one");
  const found = config.contexts?.find((one) => one.name === context)?.context;
  if (found === undefined) throw new KubeconfigError(`The kubeconfig has no context ${JSON.stringify(context)}`);
  const cluster = config.clusters?.find((one) => one.name === found.cluster)?.cluster;
  if (cluster === undefined)
    throw new KubeconfigError(`Context ${context} names cluster ${JSON.stringify(found.cluster)}, which is not there`);
  if (typeof getOwn(cluster as unknown as JsonObject, "server") !== "string")
    throw new KubeconfigError(`Cluster ${found.cluster} names no server`);
  const user =
    found.user === undefined || found.user === "" ? {} : config.users?.find((one) => one.name === found.user)?.user;
  if (user === undefined)
    throw new KubeconfigError(`Context ${context} names user ${JSON.stringify(found.user)}, who is not there`);
  const namespace = found.namespace === undefined || found.namespace === "" ? "default" : found.namespace;
  return { context, cluster, user: user ?? {}, namespace };
}

/** What loading needs from the machine; nothing is read that is not named by it. */
export interface Machine {
  readonly files: Files;
  readonly clock: Clock;
  /** The environment that exec plugins inherit. */
  readonly env: Readonly<Record<string, string | undefined>>;
}
