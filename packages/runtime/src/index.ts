export { type Context, type EventSink, type RecordedEvent, type StatusPatch } from "./controller/context.js";
export type { Activity, Controller, ControllerDefinition, ControllerEnv, Reconciled } from "./controller/controller.js";
export { defineController } from "./controller/define.js";
export { parseKey } from "./controller/key.js";
export { controllerReference, OwnerError, withCondition } from "./controller/objects.js";
export * from "./controller/outcome.js";
export type { ControllerSpec } from "./controller/spec.js";
export {
  allOf,
  anyOf,
  generationChanged,
  index,
  metadataChanged,
  ownedBy,
  watch,
  type Index,
  type MapFn,
  type Predicate,
  type Stores,
  type Trigger,
} from "./controller/triggers.js";
export { Elector, LeadershipLostError, type ElectorOptions } from "./election/elector.js";
export { DEFAULT_LEASE_TIMES, type LeaseTimes } from "./election/lease.js";
export { EventRecorder, type EventRecorderOptions } from "./events/recorder.js";
export { Informer, type ChangeHandler, type InformerDeps, type InformerOptions } from "./informer/informer.js";
export { Informers } from "./informer/informers.js";
export {
  Manager,
  runManager,
  type LeaderOptions,
  type ManagerOptions,
  type Runnable,
  type RunnableEnv,
} from "./manager/manager.js";
export { WorkQueue, type WorkQueueOptions } from "./queue/work-queue.js";
export { Store, type Change, type IndexFn, type StoreReader } from "./store/store.js";
export { step, UNLISTED, type Input, type State, type Step, type StoreEvent } from "./watcher/step.js";
export {
  defaultPauseMs,
  listWatch,
  watch as listAndWatch,
  type ListWatch,
  type WatcherOptions,
  WatchIdleError,
} from "./watcher/watcher.js";
