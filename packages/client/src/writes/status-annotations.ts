import type { KubernetesObject } from "@fairlead/apimachinery";
import { asObject, connectionOf, send, type Api, type Target } from "../api/api.js";
import type { WriteHandle } from "../api/write-handle.js";
import { encodeJson, LENIENT } from "../request/encode.js";
import { patchRequest, type CallOptions } from "../request/request.js";

/**
 * Sets annotations by key through `/status`, where those of a built-in kind are no change of what is wanted, and make no
 * new generation. Others stay.
 */
export function setStatusAnnotations<T extends KubernetesObject>(
  api: Api<T>,
  target: Target,
  annotations: Readonly<Record<string, string | null>>,
  options: CallOptions = {},
): WriteHandle<T> {
  return send<T>(api, {
    verb: "patch",
    target,
    subresource: "status",
    signal: options.signal,
    request: (path) =>
      patchRequest(
        path,
        { type: "merge", body: encodeJson({ metadata: { annotations } }, LENIENT) },
        { fieldManager: connectionOf(api).fieldManager },
      ),
    decode: asObject,
  });
}
