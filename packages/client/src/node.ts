export {
  basicAuth,
  execToken,
  fileToken,
  impersonating,
  staticToken,
  type ExecCredential,
} from "./auth/credentials.js";
export { ExecPluginError, runExecPlugin } from "./auth/exec.js";
export {
  accessOf,
  KubeconfigError,
  mergeKubeconfigs,
  parseKubeconfig,
  type Access,
  type ClusterConfig,
  type ExecConfig,
  type Kubeconfig,
  type Machine,
  type UserConfig,
} from "./auth/kubeconfig.js";
export { connectTo, inCluster, loadKubeconfig, type Connect } from "./auth/load.js";
export {
  ConnectionError,
  nodeTransport,
  type NodeTransport,
  type NodeTransportOptions,
} from "./transport/node-transport.js";
export {
  isPrivate,
  PrivateAddressError,
  urlFetcher,
  type UrlFetcher,
  type UrlFetcherOptions,
} from "./transport/fetch-url.js";
