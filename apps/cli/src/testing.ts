/** Testing controllers: a server, a simulated cluster and the controllers in one process, on either clock. */
export { DEFAULT_DELAYS, DEFAULT_NODES, NO_DELAYS, type Delays, type NodeSpec } from "@fairlead/cluster-sim";
export * from "@fairlead/testing";
