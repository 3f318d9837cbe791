import { header, type HttpRequest } from "@fairlead/base";

import type { Attributes } from "../auth/authorize.js";
import type { ServiceAccountTokens } from "../auth/service-account-tokens.js";
import type { Catalog } from "../registry/catalog.js";
import type { Endpoint } from "../registry/endpoint.js";
import type { Registry } from "../registry/registry.js";
import type { Ending, RequestContext, Target, UserInfo } from "../registry/request.js";
import type { ReviewServer } from "../registry/reviews.js";
import type { Encoding } from "./encode.js";
import { negotiate } from "./negotiate.js";
import type { ResourceRequest } from "./request-info.js";
import type { Warnings } from "./warnings.js";

/** What the verbs of resources need. */
export interface ResourceServer {
  readonly registry: Registry;
  readonly catalog: Catalog;
  /** Answers reviews (access, token) and other kinds that are created but never kept; undefined for stored kinds. */
  readonly reviews: ReviewServer;
  readonly accountTokens: ServiceAccountTokens;
}

export interface ResourceCall {
  readonly request: HttpRequest;
  readonly info: ResourceRequest;
  readonly user: UserInfo;
  readonly ending: Ending;
  /** Refuses (403) what the user may not do. */
  readonly authorize: (attributes: Attributes) => void;
}

/** The same with what it addresses. */
export interface Call extends ResourceCall {
  readonly endpoint: Endpoint;
  readonly context: RequestContext;
  readonly warnings: Warnings;
}

export function targetOf({ info }: Call): Target {
  return { namespace: info.namespace, name: info.name ?? "", subresource: info.subresource };
}

export function encodingOf({ registry }: ResourceServer, { request, info, endpoint }: Call): Encoding {
  const include = info.query.get("includeObject");
  return {
    endpoint,
    negotiated: negotiate(header(request.headers, "accept")),
    // Read for each answer: a watch goes on for hours.
    get nowMs() {
      return registry.clock.now();
    },
    includeObject: include === "None" || include === "Object" ? include : "Metadata",
  };
}

export function userAgent(request: HttpRequest): string | undefined {
  return header(request.headers, "user-agent");
}

/** Why a kind cannot be selected by a field; undefined when it can. */
export function unsupportedField({ strategy }: Endpoint, field: string): string | undefined {
  const { info, selectableFields } = strategy;
  if (field === "metadata.name" || (field === "metadata.namespace" && (info.namespaced || info.custom)))
    return undefined;
  if (selectableFields.has(field)) return undefined;
  if (info.custom || selectableFields.size > 0) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
