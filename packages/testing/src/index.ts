export { TestEnv, testEnv, type ClusterSetup, type TestEnvOptions } from "./env/env.js";
export { ownersOf, type Owners } from "./owners/owners.js";
export { NotSettledError, type SettleOptions } from "./settle/settle.js";
export { formatTraffic, type Write } from "./settle/traffic.js";
