export {
  Api,
  type Connection,
  type DeleteOptions,
  type ListOptions,
  type NewObject,
  type ObjectList,
  type Page,
  type Target,
  type WriteOptions,
} from "./api/api.js";
export { Client, type ClientOptions } from "./api/client.js";
export { fieldManager, FieldManagerError, type FieldManager } from "./api/field-manager.js";
export { ResponseError } from "./request/response.js";
export { DEFAULT_RETRY, retrying, type RetryPolicy } from "./api/retry.js";
export {
  formatWrite,
  UnawaitedWriteError,
  WriteHandle,
  type WriteInfo,
  type WriteObserver,
} from "./api/write-handle.js";
export { Discovery, UnknownKindError, type ServedKind } from "./discovery/discovery.js";
export * as kinds from "./kinds/kinds.js";
export { EncodingError } from "./request/encode.js";
export * from "./request/path.js";
export * from "./request/request.js";
export * from "./request/resource-kind.js";
export { lines } from "./watch/lines.js";
export { decodeEvent, watchEvents, WatchDecodeError, type WatchEvent } from "./watch/watch.js";
export * from "./writes/apply.js";
export * from "./writes/apply-params.js";
export { ApplyConflictError, fieldConflicts, withoutField, type FieldConflict } from "./writes/conflict.js";
export { owns, ownsStatus, wholeObject, type AnyContract, type BodyOf, type Contract } from "./writes/contract.js";
export type { ApplyConfig, CheckPath, OwnedBody, Partially } from "./writes/contract-types.js";
export * from "./writes/metadata.js";
export {
  IdentityError,
  manifestBody,
  ownedPaths,
  UndeclaredPathError,
  type OwnedPaths,
  type OwnedPathsOptions,
} from "./writes/owned-paths.js";
export { ContractPathError, parseOwnedPath, type OwnedPath, type PathStep } from "./writes/path.js";
export { setStatusAnnotations } from "./writes/status-annotations.js";
export { mergeStatus, mergeStatusBody, PostureError, type MergeStatusOptions } from "./writes/status.js";
export * from "./writes/subresources.js";
