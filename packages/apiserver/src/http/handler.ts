import { header, messageOf, uuid, type HttpRequest, type HttpResponse } from "@fairlead/base";
import { failure, StatusError } from "@fairlead/apimachinery";

import { authenticate, impersonated, type Authenticator } from "../auth/authenticate.js";
import { authorize, type Authorizer } from "../auth/authorize.js";
import { serverError } from "../registry/failures.js";
import type { Ending, UserInfo } from "../registry/request.js";
import { RequestTooLargeError } from "../storage/errors.js";
import { attributesOf } from "./attributes.js";
import { tooManyInFlight, type InFlight } from "./in-flight.js";
import { servePath, type PathServer } from "./paths.js";
import { requestInfo } from "./request-info.js";
import type { ResourceServer } from "./call.js";
import { serveResource } from "./resources.js";
import { statusResponse } from "./response.js";

/** Everything that answering a request needs. */
export interface HandlerOptions extends ResourceServer, PathServer {
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  readonly inFlight: InFlight;
}

/** Answers requests. `user`, when given, is who asks, whatever the headers say. */
export type Handler = (request: HttpRequest, signal: AbortSignal, user?: UserInfo) => Promise<HttpResponse>;

export type Answer = (request: HttpRequest, ending: Ending, user?: UserInfo) => Promise<HttpResponse>;

/** From an HTTP request to an HTTP answer: who asks, what is wanted, may they, the verb. Never rejects but on abort. */
export function createHandler(options: HandlerOptions): Answer {
  return async (request, ending, user) => {
    const response = await answer(options, request, { ending, user });
    const auditId = header(request.headers, "audit-id") ?? uuid(options.registry.random);
    return { ...response, headers: { "audit-id": auditId, ...response.headers } };
  };
}

async function answer(
  options: HandlerOptions,
  request: HttpRequest,
  caller: { readonly ending: Ending; readonly user: UserInfo | undefined },
): Promise<HttpResponse> {
  let leave: (() => void) | undefined;
  try {
    const info = requestInfo(request.method, request.path);
    const user = actingUser(options, request, caller.user ?? authenticate(options.authenticators, request));
    leave = options.inFlight.enter(info, request.method, user);
    if (leave === undefined) return tooManyInFlight();
    authorize(options.authorizer, user, attributesOf(info, request.method));
    if (info.kind === "path") return servePath(options, request, info);
    return await serveResource(options, {
      request,
      info,
      user,
      ending: caller.ending,
      authorize: (attributes) => authorize(options.authorizer, user, attributes),
    });
  } catch (error) {
    if (error instanceof StatusError) return statusResponse(error.status);
    if (error instanceof RequestTooLargeError) return statusResponse(serverError(error.message).status);
    if (caller.ending.signal.aborted) throw caller.ending.signal.reason;
    options.registry.logger.error("request failed", { method: request.method, path: request.path, error });
    return statusResponse(
      failure(500, "InternalError", `Internal error occurred: ${messageOf(error)}`, {
        causes: [{ message: messageOf(error) }],
      }),
    );
  } finally {
    leave?.();
  }
}

/** Who the request acts as; impersonation needs the right to it. */
function actingUser({ authorizer }: HandlerOptions, request: HttpRequest, user: UserInfo): UserInfo {
  const wanted = impersonated(request);
  if (wanted === undefined) return user;
  const account = /^system:serviceaccount:([^:]+):(.+)$/.exec(wanted.username);
  const check = (resource: string, name: string, namespace: string | undefined): void => {
    authorize(authorizer, user, {
      kind: "resource",
      verb: "impersonate",
      group: "",
      resource,
      subresource: "",
      namespace,
      name,
    });
  };
  if (account === null) check("users", wanted.username, undefined);
  else check("serviceaccounts", account[2] ?? "", account[1]);
  if (header(request.headers, "impersonate-group") !== undefined)
    for (const group of wanted.groups) if (group !== "system:authenticated") check("groups", group, undefined);
  return wanted;
}
