import type { Attributes } from "../auth/authorize.js";
import type { RequestInfo } from "./request-info.js";

/** What a request wants, for authorisation. A list by one name counts as a request for that name. */
export function attributesOf(info: RequestInfo, method: string): Attributes {
  if (info.kind === "path") return { kind: "path", verb: method.toLowerCase(), path: info.path };
  const { verb, group, resource, subresource, query } = info;
  const selected = /^metadata\.name==?([^,]+)$/.exec(query.get("fieldSelector") ?? "")?.[1];
  const name = info.name ?? (verb === "list" || verb === "watch" ? selected : undefined);
  const namespace = info.namespace ?? (group === "" && resource === "namespaces" ? info.name : undefined);
  return { kind: "resource", verb, group, resource, subresource, namespace, name };
}
