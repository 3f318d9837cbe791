/** How long the operator waits for things. Milliseconds. The names are those of the configuration. */
export interface Limits {
  /** Pending objects, or a worker that is not ready. */
  readonly maxRunningTimeoutMs: number;
  /** A worker that was ready and no longer is. */
  readonly workerDegradationTimeoutMs: number;
  /** A worker in its first start. */
  readonly workerStartupTimeoutMs: number;
  /** Restart loops count only after this. */
  readonly podLaunchThresholdOnFailedRestartsMs: number;
  /** A pod stuck in its init containers. */
  readonly podLaunchThresholdOnInitFailureMs: number;
  readonly podScheduledThresholdMs: number;
  readonly maxImagePullErrorThresholdMs: number;
  readonly namespaceStuckTimeoutMs: number;
  /** Terminal failures are tolerated this long. */
  readonly failingObjectsBackoffTimeoutMs: number;
  readonly failingObjectsBackoffRequeueIntervalMs: number;
  /** Restarts that count as a loop. */
  readonly restartLoopCount: number;
  /** How often things that no watch shows are looked at while something is pending. */
  readonly pollMs: number;
  /** A request that is gone is looked for again after this before anything is removed. */
  readonly requestGoneConfirmMs: number;
}

const MINUTE = 60_000;

export const DEFAULT_LIMITS: Limits = {
  maxRunningTimeoutMs: 180 * MINUTE,
  workerDegradationTimeoutMs: 30 * MINUTE,
  workerStartupTimeoutMs: 120 * MINUTE,
  podLaunchThresholdOnFailedRestartsMs: 10 * MINUTE,
  podLaunchThresholdOnInitFailureMs: 120 * MINUTE,
  podScheduledThresholdMs: 10 * MINUTE,
  maxImagePullErrorThresholdMs: MINUTE,
  namespaceStuckTimeoutMs: 5 * MINUTE,
  failingObjectsBackoffTimeoutMs: 90_000,
  failingObjectsBackoffRequeueIntervalMs: 30_000,
  restartLoopCount: 3,
  pollMs: 10_000,
  requestGoneConfirmMs: 10_000,
};
