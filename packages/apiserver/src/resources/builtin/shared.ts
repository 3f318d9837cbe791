import type { StoredAs } from "../../registry/endpoint.js";
import type { ResourceStrategy } from "../resource.js";

/** How a built-in kind that is served under two names keeps one set of objects; undefined for all others. */
export function sharedStorage({ info }: ResourceStrategy): StoredAs | undefined {
  if (info.group === "events.k8s.io" && info.resource === "events") {
    return { collection: "/events", apiVersion: "v1", convert: convertEvent };
  }
  return undefined;
}

const convertEvent: StoredAs["convert"] = (object) => object;
