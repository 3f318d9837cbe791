import {
  bodyText,
  getPath,
  isArray,
  isObject,
  type Clock,
  type HttpRequest,
  type JsonObject,
  type Transport,
} from "@fairlead/base";
import { parseFieldSelector, parseLabelSelector } from "@fairlead/apimachinery";

import {
  finalizersOf,
  isDeleting,
  type History,
  type Listing,
  type Operation,
  type Outcome,
  type Scope,
  type Session,
  type Taken,
} from "./history.js";

/** What is listed or watched, as a request says it. */
export interface Selection {
  readonly resource: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface OperationRequest {
  readonly type: Operation["type"];
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object?: JsonObject;
  readonly query?: string;
  readonly subresource?: string;
  /** The resourceVersion that the request is conditional on; it is put into the object, or the options of a deletion. */
  readonly expected?: number;
  readonly intent?: string;
}

export interface ListRequest {
  readonly version?: number;
  readonly match?: "Exact" | "NotOlderThan";
  readonly limit?: number;
  /** Called between two pages. */
  readonly pause?: () => Promise<void>;
}

export interface WatchRequest {
  readonly from?: number;
  readonly sendInitialEvents?: boolean;
  readonly bookmarks: boolean;
  readonly timeoutSeconds?: number;
  readonly prompt: boolean;
  /** Called before each event is taken. */
  readonly pause?: () => Promise<void>;
}

/** An open watch. `done` is what became of it once it ended, or was ended by `signal`. */
export interface OpenWatch {
  readonly events: readonly Taken[];
  readonly done: Promise<void>;
}

/** Asks an API server and writes down what was asked, answered and told, in one order. */
export class Recorder {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #pathOf: (resource: string) => string;
  readonly #operations: Operation[] = [];
  readonly #listings: Listing[] = [];
  readonly #watches: (Omit<Session, "through"> & { endedMs: number; isOpen: boolean })[] = [];
  readonly #compactions: { readonly at: number; readonly revision: number }[] = [];
  readonly #durable = new Map<number, number>();
  #moment = 0;

  /** @param pathOf - Where a resource is served, without namespaces: `configmaps` -> `/api/v1`. */
  constructor(transport: Transport, clock: Clock, pathOf: (resource: string) => string) {
    this.#transport = transport;
    this.#clock = clock;
    this.#pathOf = pathOf;
  }

  /** The next moment of the history. */
  moment(): number {
    return ++this.#moment;
  }

  compacted(revision: number): void {
    this.#compactions.push({ at: this.moment(), revision });
  }

  durable(revision: number): void {
    this.#durable.set(revision, this.moment());
  }

  /** One request for one object. An abort leaves its outcome unknown. */
  async operate(request: OperationRequest, signal: AbortSignal): Promise<Outcome> {
    const { type, resource, namespace, name, expected, intent } = request;
    const began = this.moment();
    let outcome: Outcome;
    try {
      outcome = outcomeOf(type, await this.#ask(this.#operation(request), signal));
    } catch (error) {
      if (!signal.aborted) throw error;
      outcome = { kind: "unknown" };
    }
    this.#operations.push({
      type,
      key: `${resource} ${namespace}/${name}`,
      began,
      ended: outcome.kind === "unknown" ? Infinity : this.moment(),
      ...(expected === undefined ? {} : { expected }),
      ...(intent === undefined ? {} : { intent }),
      outcome,
    });
    return outcome;
  }

  /** A list with all its pages, or until one is too old. */
  async list(selection: Selection, request: ListRequest, signal: AbortSignal): Promise<Listing> {
    const { version, match, limit, pause } = request;
    const began = this.moment();
    const pages: Listing["pages"][number][] = [];
    let token = "";
    let end: Listing["end"] = "whole";
    do {
      const query = new URLSearchParams(queryOf(selection));
      if (limit !== undefined) query.set("limit", String(limit));
      if (token !== "") query.set("continue", token);
      else {
        if (version !== undefined) query.set("resourceVersion", String(version));
        if (match !== undefined) query.set("resourceVersionMatch", match);
      }
      const answer = await this.#ask({ method: "GET", path: `${this.#path(selection)}?${query.toString()}` }, signal);
      if (answer.status === 410) {
        end = "expired";
        break;
      }
      if (answer.status !== 200) throw new Error(`a list was answered ${answer.status}: ${textOf(answer.body)}`);
      pages.push({
        revision: Number(getPath(answer.body, "metadata", "resourceVersion")),
        objects: itemsOf(answer.body).map(withoutType),
      });
      token = String(getPath(answer.body, "metadata", "continue") ?? "");
      if (token !== "") await pause?.();
    } while (token !== "");
    const scope = scopeOf(selection);
    const listing: Listing = { scope, began, ended: this.moment(), version, match, pages, end };
    this.#listings.push(listing);
    return listing;
  }

  /** A watch until it ends or `signal` ends it. */
  watch(selection: Selection, request: WatchRequest, signal: AbortSignal): OpenWatch {
    const { from, sendInitialEvents, bookmarks, timeoutSeconds, prompt, pause } = request;
    const query = new URLSearchParams({ ...queryOf(selection), watch: "true" });
    if (from !== undefined) query.set("resourceVersion", String(from));
    if (bookmarks) query.set("allowWatchBookmarks", "true");
    if (timeoutSeconds !== undefined) query.set("timeoutSeconds", String(timeoutSeconds));
    if (sendInitialEvents !== undefined) {
      query.set("sendInitialEvents", String(sendInitialEvents));
      query.set("resourceVersionMatch", "NotOlderThan");
    }
    const events: Taken[] = [];
    const session = {
      scope: scopeOf(selection),
      began: this.moment(),
      from,
      initial: sendInitialEvents ?? (from ?? 0) === 0,
      bookmarks,
      prompt,
      openedMs: this.#clock.now(),
      endedMs: this.#clock.now(),
      events,
      isOpen: true,
    };
    this.#watches.push(session);
    const path = `${this.#path(selection)}?${query.toString()}`;
    const done = this.#read({ path, signal, pause }, events).finally(() => {
      session.endedMs = this.#clock.now();
      session.isOpen = false;
    });
    return { events, done };
  }

  /**
   * The history so far.
   *
   * @param newest - The newest revision of the server; what is open has been told of everything up to it.
   */
  history({ newest, remembered, othersWrite }: Pick<History, "newest" | "remembered" | "othersWrite">): History {
    return {
      operations: [...this.#operations],
      listings: [...this.#listings],
      sessions: this.#watches.map(({ isOpen, ...session }) => ({
        ...session,
        events: [...session.events],
        endedMs: isOpen ? this.#clock.now() : session.endedMs,
        through: isOpen ? newest : undefined,
      })),
      compactions: [...this.#compactions],
      durable: new Map(this.#durable),
      newest,
      remembered,
      othersWrite,
    };
  }

  async #read(
    {
      path,
      signal,
      pause,
    }: { readonly path: string; readonly signal: AbortSignal; readonly pause: (() => Promise<void>) | undefined },
    events: Taken[],
  ): Promise<void> {
    try {
      const response = await this.#transport({ method: "GET", path, headers: {} }, signal);
      if (response.status !== 200 || typeof response.body === "string" || response.body instanceof Uint8Array)
        throw new Error(`a watch of ${path} was answered ${response.status}: ${await bodyText(response)}`);
      const decoder = new TextDecoder();
      let rest = "";
      for await (const chunk of response.body) {
        const lines = (rest + (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }))).split(
          "\n",
        );
        rest = lines.pop() ?? "";
        for (const line of lines) events.push(this.#taken(JSON.parse(line) as JsonObject));
        if (signal.aborted) return;
        await pause?.();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #taken({ type, object = null }: JsonObject): Taken {
    const seen = { at: this.moment(), ms: this.#clock.now() };
    if (!isObject(object)) throw new Error("an event without an object");
    switch (type) {
      case "ADDED":
      case "MODIFIED":
      case "DELETED":
        return { ...seen, type, object: withoutType(object) };
      case "BOOKMARK": {
        const initialEnd = getPath(object, "metadata", "annotations", "k8s.io/initial-events-end") === "true";
        return { ...seen, type, revision: Number(getPath(object, "metadata", "resourceVersion")), initialEnd };
      }
      default:
        return { ...seen, type: "ERROR", code: Number(object["code"]) };
    }
  }

  #operation(request: OperationRequest): Pick<HttpRequest, "method" | "path" | "body" | "headers"> {
    const { type, name, object, query = "", subresource, expected } = request;
    const collection = this.#path(request);
    const path = `${type === "create" ? collection : `${collection}/${name}${subresource === undefined ? "" : `/${subresource}`}`}?${query}`;
    const conditional = expected === undefined ? {} : { resourceVersion: String(expected) };
    switch (type) {
      case "read":
        return { method: "GET", path, headers: {} };
      case "delete":
        return json("DELETE", path, { kind: "DeleteOptions", apiVersion: "v1", preconditions: conditional });
      case "create":
        return json("POST", path, object ?? {});
      case "apply":
        return { ...json("PATCH", path, object ?? {}), headers: { "content-type": "application/apply-patch+yaml" } };
      case "update":
        return json("PUT", path, { ...object, metadata: { ...metadataOf(object), ...conditional } });
    }
  }

  #path({ resource, namespace }: Selection): string {
    return `${this.#pathOf(resource)}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${resource}`;
  }

  async #ask(
    request: Omit<HttpRequest, "headers"> & Partial<Pick<HttpRequest, "headers">>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const response = await this.#transport({ headers: {}, ...request }, signal);
    return { status: response.status, body: JSON.parse(await bodyText(response)) as JsonObject };
  }
}

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

function json(method: string, path: string, body: JsonObject): HttpRequest {
  return { method, path, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** An update that takes the last finalizer of an object on its way out removes it. */
function outcomeOf(type: Operation["type"], { status, body }: Answer): Outcome {
  if (status >= 500) throw new Error(`a ${type} was answered ${status}: ${textOf(body)}`);
  if (status >= 400) return { kind: "refused", reason: String(body["reason"]) };
  if (body["kind"] === "Status") return { kind: "removed" };
  const object = withoutType(body);
  if (type !== "read" && isDeleting(object) && finalizersOf(object) === 0) return { kind: "removed" };
  return { kind: "object", object };
}

/** Lists leave out what every object of a kind has in common. */
function withoutType(object: JsonObject): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}

function itemsOf(body: JsonObject): readonly JsonObject[] {
  const { items = [] } = body;
  return isArray(items) ? items.filter(isObject) : [];
}

function metadataOf(object: JsonObject | undefined): JsonObject {
  const metadata = object?.["metadata"];
  return isObject(metadata) ? metadata : {};
}

function textOf(body: JsonObject): string {
  return JSON.stringify(body).slice(0, 500);
}

function queryOf({ labelSelector, fieldSelector }: Selection): Record<string, string> {
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

function scopeOf({ resource, namespace, labelSelector, fieldSelector }: Selection): Scope {
  return {
    resource,
    namespace,
    labels: labelSelector === undefined ? undefined : parseLabelSelector(labelSelector),
    fields: fieldSelector === undefined ? undefined : parseFieldSelector(fieldSelector),
  };
}
