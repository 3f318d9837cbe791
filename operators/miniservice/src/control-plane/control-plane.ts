import { formatTime, messageOf } from "@fairlead/base";
import { isStatus } from "@fairlead/apimachinery";
import {
  defineController,
  settled,
  watch,
  type Context,
  type ControllerDefinition,
  type Outcome,
} from "@fairlead/runtime";

import { IcmsRequest, MiniService, REQUESTS_NAMESPACE, type InstanceReport } from "../api.js";
import { encodeSpec } from "../codec.js";
import { miniServiceName, RequestError, wantedService } from "./creator.js";
import { deriveFunctionState, instanceState, type FunctionState, type InstanceState } from "./function-state.js";

export interface ControlPlaneOptions {
  readonly requestsNamespace?: string;
  /** Whether a service that has failed is deleted and made again; true by default. */
  readonly purge?: boolean;
}

/**
 * A small control plane: makes a MiniService of each request, publishes how the function stands in the request's status,
 * and purges instances that have failed so that they are made anew.
 */
export function controlPlane(options: ControlPlaneOptions = {}): ControllerDefinition {
  const { requestsNamespace = REQUESTS_NAMESPACE, purge = true } = options;
  return defineController<IcmsRequest>({
    name: "control-plane",
    fieldManager: "control-plane",
    for: IcmsRequest,
    scope: { namespace: requestsNamespace },
    watches: [
      watch(MiniService, (service) => [
        { namespace: requestsNamespace, name: service.spec.icmsRequestName ?? service.spec.spotRequestName ?? "" },
      ]),
    ],
    reconcile: (request, ctx) => reconcileRequest(request, ctx, purge),
  });
}

async function reconcileRequest(request: IcmsRequest, ctx: Context<IcmsRequest>, purge: boolean): Promise<Outcome> {
  if (request.metadata.deletionTimestamp !== undefined) return settled();
  const terminated = request.spec.action === "TerminateInstances";
  const name = miniServiceName(request.metadata.name);
  let service =
    ctx.store(MiniService).get({ name }) ?? (await ctx.client.api(MiniService).find(name, { signal: ctx.signal }));
  if (terminated) {
    if (service !== undefined && service.metadata.deletionTimestamp === undefined)
      await ctx.client.api(MiniService).deleteObject(service, { signal: ctx.signal });
    return publish(request, ctx, { state: "none", function: "INACTIVE", name });
  }
  if (service === undefined) {
    try {
      service = await create(request, ctx);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      ctx.event({ type: "Warning", reason: "InvalidRequest", message: messageOf(error) });
      return publish(request, ctx, { state: "terminated", function: "ERROR", name });
    }
  }
  const before = request.status?.functionState;
  const wasActive = before === "ACTIVE" || before === "DEGRADING" || before === "DEGRADED";
  const state = instanceState(service.status?.phase);
  const minInstances = request.spec.creationMsgInfo?.instanceCount ?? 1;
  const outcome = await publish(request, ctx, {
    state,
    function: deriveFunctionState({ instances: [state], minInstances: Math.min(minInstances, 1), wasActive }),
    name,
  });
  if (purge && state === "terminated" && service.metadata.deletionTimestamp === undefined) {
    ctx.event({ type: "Warning", reason: "Purged", message: `instance ${name} has failed and is made anew` });
    await ctx.client.api(MiniService).deleteObject(service, { signal: ctx.signal });
  }
  return outcome;
}

async function create(request: IcmsRequest, ctx: Context<IcmsRequest>): Promise<MiniService> {
  const { name, labels, annotations, spec } = wantedService(request);
  try {
    return await ctx.client
      .api(MiniService)
      .create({ metadata: { name, labels, annotations }, spec: encodeSpec(spec) }, { signal: ctx.signal });
  } catch (error) {
    if (isStatus(error, "AlreadyExists")) return ctx.client.api(MiniService).get(name, { signal: ctx.signal });
    throw error;
  }
}

const REQUEST_STATUS: Readonly<Record<InstanceState, string>> = {
  none: "RequestPending",
  starting: "RequestInstancesInProgress",
  running: "RequestCompleted",
  terminated: "RequestFailed",
};

/** Writes the instance's and the function's state into the request, when they have changed. */
async function publish(
  request: IcmsRequest,
  ctx: Context<IcmsRequest>,
  seen: { readonly state: InstanceState; readonly function: FunctionState; readonly name: string },
): Promise<Outcome> {
  const before = request.status?.instances?.[seen.name];
  if (request.status?.functionState === seen.function && before?.lastReportedStatus === seen.state) return settled();
  const now = formatTime(ctx.clock.now());
  const report: InstanceReport = {
    id: seen.name,
    status: seen.state,
    lastReportedStatus: seen.state,
    lastReportedTimestamp: now,
  };
  const status = {
    requestStatus: REQUEST_STATUS[seen.state],
    functionState: seen.function,
    lastStatusUpdated: now,
    instances: { [seen.name]: report },
  };
  await ctx.status(status);
  if (request.status?.functionState !== seen.function) {
    ctx.event({
      type: seen.function === "ERROR" || seen.function === "DEGRADED" ? "Warning" : "Normal",
      reason: "FunctionState",
      message: `function is ${seen.function}`,
    });
  }
  return settled();
}
