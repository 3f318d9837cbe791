/** Writing controllers: the typed client, the framework, and what they are handed. */
export {
  formatKey,
  isStatus,
  keyOf,
  StatusError,
  type Condition,
  type GroupVersionKind,
  type KubernetesObject,
  type ObjectKey,
  type ObjectMeta,
  type OwnerReference,
  type ResourceVersion,
  type Status,
  type StatusReason,
  type Uid,
} from "@fairlead/apimachinery";
export {
  assertNever,
  FairleadError,
  jsonLogger,
  messageOf,
  seededRandom,
  silentLogger,
  VirtualClock,
  type Clock,
  type Files,
  type HttpRequest,
  type HttpResponse,
  type Logger,
  type Random,
  type Transport,
} from "@fairlead/base";
export { systemClock, systemFiles, systemRandom } from "@fairlead/base/node";
export * from "@fairlead/client";
export { connectTo, inCluster, loadKubeconfig, nodeTransport, type NodeTransport } from "@fairlead/client/node";
export * from "@fairlead/runtime";
