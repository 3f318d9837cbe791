import {
  formatTime,
  onAbort,
  type Clock,
  type HttpResponse,
  type Logger,
  type Random,
  type Transport,
} from "@fairlead/base";

import { admissionChain, type AdmissionPlugin } from "./admission/admission.js";
import { limitRanger } from "./admission/limit-ranger.js";
import { namespaceLifecycle } from "./admission/namespace-lifecycle.js";
import { defaultTolerationSeconds, priority, serviceAccount } from "./admission/pods.js";
import { resourceQuota } from "./admission/resource-quota.js";
import { noEscalation } from "./admission/role-escalation.js";
import { serviceAddresses } from "./admission/service-addresses.js";
import { defaultStorageClass, storageObjectInUseProtection } from "./admission/storage-objects.js";
import { tokenAuthenticator, userOfToken } from "./auth/authenticate.js";
import { withDefaults } from "./auth/authorize.js";
import { rbacAuthorizer } from "./auth/rbac.js";
import { serviceAccountAuthenticator, serviceAccountTokens, signerOf } from "./auth/service-account-tokens.js";
import { OpenApi } from "./discovery/openapi.js";
import { createHandler, type Answer, type Handler } from "./http/handler.js";
import { InFlight, type InFlightLimits } from "./http/in-flight.js";
import { bootstrap } from "./registry/bootstrap.js";
import { Catalog } from "./registry/catalog.js";
import { continueTokens } from "./registry/continue.js";
import { TypeCache, type EmptiedContainer } from "@fairlead/ssa";
import { serveDefinitions } from "./registry/definitions.js";
import type { Registry } from "./registry/registry.js";
import type { Ending, UserInfo } from "./registry/request.js";
import { reviewServer } from "./registry/reviews.js";
import { webhookCaller, type WebhookTransport } from "./registry/webhooks.js";
import { builtinResources } from "./resources/builtin/builtin.js";
import { sharedStorage } from "./resources/builtin/shared.js";
import { MemoryStorage } from "./storage/memory.js";
import type { Storage } from "./storage/storage.js";

export interface ApiServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** In memory when absent. */
  readonly storage?: Storage;
  /** Names as kube-apiserver's `--disable-admission-plugins`, e.g. `ServiceAccount`. */
  readonly disableAdmissionPlugins?: readonly string[];
  /** Bearer tokens and whom they stand for. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /** What the tokens of service accounts are signed with; keep it, and they outlive a restart. By default a new one. */
  readonly signingKey?: Uint8Array;
  /** What server-side apply leaves of a container whose last child it removes; `empty` by default. */
  readonly emptiedContainers?: EmptiedContainer;
  /** How conversion webhooks are called; without it they cannot be. */
  readonly webhooks?: WebhookTransport;
  /** Requests that may be under way at once; as a kube-apiserver's by default. */
  readonly inFlight?: InFlightLimits;
  /** `host:port` as clients reach the server. */
  readonly address?: () => string;
}

/**
 * An API server without a socket: requests go in as data and answers come out. It acts on nothing by itself but
 * CustomResourceDefinitions; everything else is the business of controllers.
 */
export interface ApiServer {
  readonly handle: Handler;
  /** A Transport that asks as a user, without credentials; `system:masters` by default. */
  transport(user?: UserInfo): Transport;
  readonly storage: Storage;
  readonly admissionPlugins: readonly string[];
  /** Ends every watch and closes storage. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const ADMIN: UserInfo = { username: "admin", groups: ["system:masters", "system:authenticated"] };

/** Starts an API server; it is ready when this resolves. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { clock, random, logger } = options;
  const storage = options.storage ?? new MemoryStorage();
  const catalog = new Catalog();
  for (const strategy of builtinResources()) catalog.addBuiltin(strategy, sharedStorage(strategy));
  const authorizer = withDefaults(rbacAuthorizer(storage));
  const accountTokens = serviceAccountTokens({ storage, clock, random, key: options.signingKey ?? random.bytes(32) });
  const authenticators = [tokenAuthenticator(options.tokens ?? new Map()), serviceAccountAuthenticator(accountTokens)];
  const plugins = enabled(
    [...admissionPlugins(storage, { clock, random }), noEscalation(storage, authorizer)],
    options.disableAdmissionPlugins ?? [],
  );
  const registry: Registry = {
    storage,
    clock,
    random,
    logger,
    admission: admissionChain(plugins),
    types: new TypeCache(),
    emptied: options.emptiedContainers ?? "empty",
    continueTokens: continueTokens(signerOf(random.bytes(32))),
    untidy: new WeakSet(),
    find: (group, resource, version) => catalog.find(group, resource, version),
  };
  const isNew = storage.revision === storage.compactedRevision;
  await bootstrap(registry, formatTime(clock.now()));
  if (isNew) storage.compact(storage.revision);
  const ending = new AbortController();
  const ask = webhookCaller({ storage, clock, transport: options.webhooks, signal: ending.signal });
  const definitionEndpoint = catalog.find("apiextensions.k8s.io", "customresourcedefinitions");
  const definitions =
    definitionEndpoint === undefined
      ? undefined
      : serveDefinitions(registry, catalog, { endpoint: definitionEndpoint, ask });
  const answer = createHandler({
    registry,
    catalog,
    openApi: new OpenApi(catalog),
    address: options.address ?? (() => "127.0.0.1"),
    accountTokens,
    authenticators,
    authorizer,
    inFlight: new InFlight(options.inFlight),
    reviews: reviewServer(registry, { authorizer, userOfToken: (token) => userOfToken(authenticators, token) }),
  });
  const guarded = untilEnd(answer, ending.signal);
  const close = async (): Promise<void> => {
    ending.abort(new Error("the API server is closed"));
    definitions?.close();
    await storage.close();
  };
  return {
    handle: guarded,
    transport:
      (user = ADMIN) =>
      (request, signal): Promise<HttpResponse> =>
        guarded(request, signal, user),
    storage,
    admissionPlugins: plugins.map((p) => p.name),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Requests that end with the server. */
function untilEnd(answer: Answer, closing: AbortSignal): Handler {
  return async (request, signal, user) => {
    const ending = new EitherEnding(signal, closing);
    try {
      const response = await answer(request, ending, user);
      const { body } = response;
      if (typeof body !== "string" && !(body instanceof Uint8Array))
        return { ...response, body: finallyDo(body, () => ending.release()) };
      ending.release();
      return response;
    } catch (error) {
      ending.release();
      throw error;
    }
  };
}

/** What ends with either of two signals, and listens to them only once it is looked at, and until it is released. */
class EitherEnding implements Ending {
  readonly #signals: readonly AbortSignal[];
  #own: AbortController | undefined;
  #stops: readonly (() => void)[] = [];

  constructor(...signals: readonly AbortSignal[]) {
    this.#signals = signals;
  }

  get signal(): AbortSignal {
    if (this.#own === undefined) {
      const own = (this.#own = new AbortController());
      this.#stops = this.#signals.map((signal) => onAbort(signal, () => own.abort(signal.reason)));
    }
    return this.#own.signal;
  }

  release(): void {
    for (const stop of this.#stops) stop();
  }
}

async function* finallyDo<T>(items: AsyncIterable<T>, action: () => void): AsyncGenerator<T> {
  try {
    yield* items;
  } finally {
    action();
  }
}

/** In the order in which they run: addresses are given when everything else is settled, and quotas count what is stored. */
function admissionPlugins(
  storage: Storage,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): readonly AdmissionPlugin[] {
  return [
    namespaceLifecycle(storage),
    limitRanger(storage),
    serviceAccount(storage, random),
    priority(storage),
    defaultTolerationSeconds,
    defaultStorageClass(storage),
    storageObjectInUseProtection,
    serviceAddresses(storage),
    resourceQuota(storage, clock),
  ];
}

function enabled(plugins: readonly AdmissionPlugin[], disabled: readonly string[]): readonly AdmissionPlugin[] {
  return plugins.filter((p) => !disabled.includes(p.name));
}
