export { TestEnv, testEnv, type ClusterSetup, type TestEnvOptions } from "./env/env.js";
export { ownersOf, type Owners } from "./owners/owners.js";
export { NotSettledError, type SettleOptions } from "./settle/settle.js";
export { formatTraffic, type Write } from "./settle/traffic.js";
export { violations } from "./guarantees/guarantees.js";
export type { History, Listing, Operation, Outcome, Scope, Session, Taken, Violation } from "./guarantees/history.js";
export {
  Recorder,
  type ListRequest,
  type OpenWatch,
  type OperationRequest,
  type Selection,
  type WatchRequest,
} from "./guarantees/recorder.js";
