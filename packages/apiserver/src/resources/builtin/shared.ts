import type { StoredAs } from "../../registry/endpoint.js";
import type { ResourceStrategy } from "../resource.js";
import { convertEvent } from "./event-conversion.js";
import { convertAutoscaler } from "./hpa-conversion.js";

/** How a built-in kind that is served under two names keeps one set of objects; undefined for all others. */
export function sharedStorage({ info }: ResourceStrategy): StoredAs | undefined {
  if (info.resource === "events") return { collection: "/events", apiVersion: "v1", convert: convertEvent };
  if (info.resource === "horizontalpodautoscalers") {
    return {
      collection: "autoscaling/horizontalpodautoscalers",
      apiVersion: "autoscaling/v2",
      convert: convertAutoscaler,
    };
  }
  return undefined;
}
