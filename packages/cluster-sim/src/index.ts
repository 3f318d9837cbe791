export {
  controllerNames,
  simulatedCluster,
  UnknownControllerError,
  type Cluster,
  type ClusterInput,
} from "./cluster.js";
export {
  ANNOTATIONS,
  DEFAULT_DELAYS,
  DEFAULT_NODES,
  NO_DELAYS,
  type ClusterOptions,
  type Delays,
  type NodeSpec,
} from "./options.js";
