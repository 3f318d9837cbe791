/** How a simulated cluster behaves. Everything has a default that is quick and still shows each step. */
export interface ClusterOptions {
  readonly nodes: readonly NodeSpec[];
  readonly delays: Delays;
}

/** One simulated node. */
export interface NodeSpec {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly {
    readonly key: string;
    readonly value?: string;
    readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
  }[];
  /** Quantities by resource: `cpu`, `memory`, `pods`, `nvidia.com/gpu`, … */
  readonly capacity: Readonly<Record<string, string>>;
}

/** How long the steps of a pod take, in milliseconds. */
export interface Delays {
  /** From being bound to the start of the first container. */
  readonly startMs: number;
  /** One init container. */
  readonly initMs: number;
  /** From running to ready. */
  readonly readyMs: number;
  /** A container of a Job's pod. */
  readonly runMs: number;
  /** From the deletion of a running pod to its end; never more than its grace period. */
  readonly stopMs: number;
}

export const DEFAULT_DELAYS: Delays = { startMs: 300, initMs: 300, readyMs: 700, runMs: 1000, stopMs: 500 };
export const NO_DELAYS: Delays = { startMs: 0, initMs: 0, readyMs: 0, runMs: 0, stopMs: 0 };

/** Three nodes with GPUs; enough for most charts. */
export const DEFAULT_NODES: readonly NodeSpec[] = ["node-1", "node-2", "node-3"].map((name) => ({
  name,
  capacity: { cpu: "32", memory: "128Gi", "ephemeral-storage": "500Gi", pods: "110", "nvidia.com/gpu": "4" },
}));

/** Annotations by which a pod tells the simulated kubelet what should happen to it. */
export const ANNOTATIONS = {
  /** Milliseconds from running to ready. */
  readyMs: "sim.fairlead.dev/ready-ms",
  /** Milliseconds that the containers run before they end; without it they end only in Jobs. */
  runMs: "sim.fairlead.dev/run-ms",
  /** What the containers end with. */
  exitCode: "sim.fairlead.dev/exit-code",
  /** `true`: images cannot be pulled. */
  imagePullFails: "sim.fairlead.dev/image-pull-fails",
  /** `true`: containers run and never become ready. */
  neverReady: "sim.fairlead.dev/never-ready",
  /** Name of a Service in the pod's namespace: containers are ready while it has a ready endpoint, and not before. */
  readyWithService: "sim.fairlead.dev/ready-with-service",
} as const;
