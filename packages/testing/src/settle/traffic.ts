import { getPath, nextTurn, type HttpRequest, type HttpResponse, type JsonValue, type Transport } from "@fairlead/base";

/** A write that changed something. */
export interface Write {
  /** `POST`, `PUT`, `PATCH` or `DELETE`. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Whose write it was, by the request's field manager; empty when it named none. */
  readonly fieldManager: string;
}

/** What goes over the transports of an environment. */
export class Traffic {
  readonly #revision: () => number;
  #sent = 0;
  #open = 0;
  readonly #writes: Write[] = [];

  /** @param revision - The newest revision of the server's storage. */
  constructor(revision: () => number) {
    this.#revision = revision;
  }

  /** Requests so far. */
  get sent(): number {
    return this.#sent;
  }

  /** Requests that have no answer yet. A watch is answered once its stream begins. */
  get open(): number {
    return this.#open;
  }

  /**
   * Writes that changed something, in order, but those of leases and events, which report about work rather than do it.
   * An apply of what is there already, for example, is none.
   */
  get writes(): readonly Write[] {
    return this.#writes;
  }

  /** The transport, counted. Every request takes a turn of the event loop, so that a busy loop can be noticed. */
  counted(transport: Transport): Transport {
    return async (request, signal) => {
      this.#sent += 1;
      this.#open += 1;
      const before = this.#revision();
      try {
        await nextTurn();
        const response = await transport(request, signal);
        if (isWrite(request) && hasChanged(response, before)) this.#writes.push(writeOf(request));
        return response;
      } finally {
        this.#open -= 1;
      }
    };
  }
}

function isWrite({ method, path }: HttpRequest): boolean {
  if (method === "GET" || method === "HEAD") return false;
  const [place = "", query = ""] = path.split("?");
  if (/[?&]dryRun=/.test(`?${query}`) || place.endsWith("reviews")) return false;
  return !/\/(leases|events)(\/[^/]+)?$/.test(place);
}

/** Whether a write left an object that is newer than everything before it; a deletion may answer with no object at all. */
function hasChanged({ status, body }: HttpResponse, before: number): boolean {
  if (status >= 300) return false;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return true;
  const object = JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as JsonValue;
  const version = getPath(object, "metadata", "resourceVersion");
  return typeof version !== "string" || version === "" || Number(version) > before;
}

function writeOf({ method, path }: HttpRequest): Write {
  const [place = "", query = ""] = path.split("?");
  return { method, path: place, fieldManager: new URLSearchParams(query).get("fieldManager") ?? "" };
}

/** `PATCH /api/v1/namespaces/default/configmaps/web (fairlead/mirror)` */
export function formatTraffic({ method, path, fieldManager }: Write): string {
  return `${method} ${path}${fieldManager === "" ? "" : ` (${fieldManager})`}`;
}
