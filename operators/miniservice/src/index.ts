export * from "./api.js";
export {
  decodeRequestName,
  decodeRequestNamespace,
  encodeSpec,
  isFlagSet,
  sameWorkloadConfig,
  type Decoded,
} from "./codec.js";
export { miniServiceController, type MiniServiceOptions } from "./controller.js";
export { controlPlane, type ControlPlaneOptions } from "./control-plane/control-plane.js";
export { miniServiceName, RequestError, wantedService, type WantedService } from "./control-plane/creator.js";
export {
  deriveFunctionState,
  instanceState,
  type FunctionInput,
  type FunctionState,
  type InstanceState,
} from "./control-plane/function-state.js";
export { DEFAULT_LIMITS, type Limits } from "./limits.js";
export { defaultRefusal, POLICIES, type Admitted, type Policy } from "./render/policy.js";
export { NAMESPACE_PLACEHOLDER, recordedRenderer, type Recording } from "./render/recorded.js";
export { redactedUrl, RenderError, type RenderInput, type Renderer, type Rendering } from "./render/renderer.js";
export { neutralWorker, type NeutralWorkerOptions, type WorkerProfile } from "./worker/profile.js";
