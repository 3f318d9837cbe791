import { messageOf, type JsonObject } from "@fairlead/base";
import { isStatus, type KubernetesObject } from "@fairlead/apimachinery";
import { kinds, StaleObjectError } from "@fairlead/client";
import {
  after,
  defineController,
  index,
  settled,
  TerminalError,
  watch,
  type Context,
  type ControllerDefinition,
  type Outcome,
} from "@fairlead/runtime";

import { act, ApplyFailedError, type ActOptions, type Done } from "./act.js";
import {
  FIELD_MANAGER,
  IcmsRequest,
  MiniService,
  NAME_LABEL,
  REQUESTS_NAMESPACE,
  type MiniServiceStatus,
} from "./api.js";
import { decide, type Plan } from "./decide.js";
import { DEFAULT_LIMITS, type Limits } from "./limits.js";
import { DEFAULT_INSTANCE_RULES } from "./manifests.js";
import { emptyMemory, forget } from "./memory.js";
import { observe, STORED_KINDS, type Observation, type ObserveOptions } from "./observe.js";
import type { Policy } from "./render/policy.js";
import type { Renderer } from "./render/renderer.js";
import { statusOf } from "./status.js";
import type { WorkerProfile } from "./worker/profile.js";

export interface MiniServiceOptions {
  readonly renderer: Renderer;
  readonly policy: Policy;
  readonly worker: WorkerProfile;
  /** SHA-256 of a text in hex. */
  readonly digest: (text: string) => string;
  /** Where requests live; `nvcf-backend` by default. */
  readonly requestsNamespace?: string;
  /** Whether a service without its request is cleaned up; true by default. */
  readonly parentRequired?: boolean;
  readonly limits?: Partial<Limits>;
  /** Rules of each instance's role. */
  readonly instanceRules?: readonly JsonObject[];
}

/** Writes of the object itself in one pass at most: finalizer, configuration, and one more of each. */
const MAX_ROUNDS = 5;

/** The MiniService controller: observe, decide, act, status. */
export function miniServiceController(options: MiniServiceOptions): ControllerDefinition {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const memory = emptyMemory();
  const uids = new Map<string, string>();
  const observing: ObserveOptions = {
    limits,
    memory,
    requestsNamespace: options.requestsNamespace ?? REQUESTS_NAMESPACE,
    parentRequired: options.parentRequired ?? true,
    render: { renderer: options.renderer, policy: options.policy, digest: options.digest },
  };
  const acting: ActOptions = { worker: options.worker, instanceRules: options.instanceRules ?? DEFAULT_INSTANCE_RULES };
  const byNamespace = (
    o: KubernetesObject,
    stores: { store: Context<MiniService>["store"] },
  ): readonly { readonly name: string }[] => {
    const namespace = o.metadata.namespace ?? o.metadata.name;
    return stores
      .store(MiniService)
      .by("namespace", namespace)
      .map((s) => ({ name: s.metadata.name }));
  };
  return defineController<MiniService>({
    name: "miniservice",
    for: MiniService,
    fieldManager: FIELD_MANAGER,
    watches: [
      watch(IcmsRequest, (request, stores) =>
        stores
          .store(MiniService)
          .by("request", request.metadata.name)
          .map((s) => ({ name: s.metadata.name })),
      ),
      watch(kinds.Namespace, (namespace) => {
        const name = namespace.metadata.labels?.[NAME_LABEL];
        return name === undefined ? [] : [{ name }];
      }),
      ...STORED_KINDS.map((kind) => watch(kind, byNamespace)),
    ],
    indexes: [
      index(MiniService, "namespace", (service) =>
        service.spec.namespace === undefined ? [] : [service.spec.namespace],
      ),
      index(MiniService, "request", (service) => [service.spec.icmsRequestName ?? service.spec.spotRequestName ?? ""]),
    ],
    concurrency: 4,
    deadlineMs: 300_000,
    reconcile: async (service, ctx) => {
      uids.set(service.metadata.name, service.metadata.uid ?? "");
      return pass(service, ctx, { limits, observing, acting });
    },
    gone: ({ name }) => {
      forget(memory, uids.get(name) ?? "");
      uids.delete(name);
    },
  });
}

interface Options {
  readonly limits: Limits;
  readonly observing: ObserveOptions;
  readonly acting: ActOptions;
}

/** One reconcile: decides again after each write of the object itself, with what the server answered. */
async function pass(object: MiniService, ctx: Context<MiniService>, options: Options): Promise<Outcome> {
  let service = object;
  try {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const seen = await observe(service, ctx, options.observing);
      const plan = decide(seen, options.limits);
      const done = await tryAct(plan, seen, ctx, options.acting);
      if (done.kind === "written") service = done.service;
      else if (done.kind === "gone") return settled();
      else
        return await conclude(done.kind === "failed" ? done.plan : plan, {
          seen,
          done: done.kind === "failed" ? { kind: "done" } : done,
          ctx,
        });
    }
    return after(0);
  } catch (error) {
    // Somebody else wrote the object meanwhile: decide anew with what it is now.
    if (isStatus(error, "Conflict") || error instanceof StaleObjectError) return after(20);
    if (isStatus(error, "NotFound") && error.status.details?.kind === MiniService.resource) return settled();
    throw error;
  }
}

type Tried = Done | { readonly kind: "failed"; readonly plan: Plan };

/** Carries out a plan; a failure that cannot get better becomes the plan to say so. */
async function tryAct(plan: Plan, seen: Observation, ctx: Context<MiniService>, options: ActOptions): Promise<Tried> {
  try {
    return await act(plan, seen, ctx, options);
  } catch (error) {
    if (plan.kind !== "install") throw error;
    if (error instanceof ApplyFailedError) {
      return { kind: "failed", plan: { kind: "retry", reason: "ApplyFailed", message: messageOf(error) } };
    }
    if (!(error instanceof TerminalError)) throw error;
    return {
      kind: "failed",
      plan: { kind: "fail", reason: error.reason, message: messageOf(error), update: plan.update },
    };
  }
}

async function conclude(
  plan: Plan,
  { seen, done, ctx }: { readonly seen: Observation; readonly done: Done; readonly ctx: Context<MiniService> },
): Promise<Outcome> {
  const { status, requeueMs } = statusOf(seen, plan, done);
  if (status !== undefined) await writeStatus(status, seen, ctx);
  if (plan.kind === "retry") throw new Error(plan.message);
  if (plan.kind === "fail") tell(ctx, seen, plan);
  return requeueMs === undefined ? settled() : after(requeueMs);
}

/** A merge of the status, bound to the version that was read: conditions are a list, and a stranger's must not be lost. */
async function writeStatus(
  status: MiniServiceStatus,
  { service }: Observation,
  ctx: Context<MiniService>,
): Promise<void> {
  const { resourceVersion } = service.metadata;
  const before = service.status?.phase ?? "";
  await ctx.status(status, resourceVersion === undefined ? {} : { precondition: { resourceVersion } });
  if (status.phase !== undefined && status.phase !== before) {
    const failed = status.phase === "InstallFailed" || status.phase === "Failed";
    ctx.event({
      type: failed ? "Warning" : "Normal",
      reason: status.phase,
      message: `phase ${before === "" ? "(none)" : before} -> ${status.phase}`,
    });
  }
}

function tell(ctx: Context<MiniService>, { service }: Observation, plan: Plan & { readonly kind: "fail" }): void {
  ctx.logger.warn("install failed", { service: service.metadata.name, reason: plan.reason });
}
