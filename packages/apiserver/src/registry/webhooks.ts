import {
  bodyText,
  decodeBase64,
  decodeUtf8,
  getOwn,
  isArray,
  isObject,
  messageOf,
  onAbort,
  parseJson,
  stringifyJson,
  type Clock,
  type JsonObject,
  type JsonValue,
  type Transport,
} from "@fairlead/base";

import type { AskWebhook } from "../resources/custom/webhook-conversion.js";
import type { Storage } from "../storage/storage.js";

/** A server that webhooks are on. */
export interface WebhookServer {
  /** `https://host:port` */
  readonly origin: string;
  /** The name that its certificate has to be for, where that is not the host: `name.namespace.svc`. */
  readonly serverName?: string;
  /** PEM of the authorities that may have signed its certificate; those of the system when absent. */
  readonly authorities?: string;
}

/** How an API server reaches webhooks. Redirects are not followed. */
export type WebhookTransport = (server: WebhookServer) => Transport;

export interface WebhookOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Absent where there is nothing to call with; every call fails then. */
  readonly transport: WebhookTransport | undefined;
  /** Ends calls with the server. */
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 30_000;
const HTTPS_PORT = 443;

/** Calls the webhook that a clientConfig names, by URL or by Service, for at most thirty seconds. */
export function webhookCaller(options: WebhookOptions): AskWebhook {
  return async (clientConfig, review) => {
    const { origin, path, service } = addressOf(clientConfig);
    const target = `${path}?timeout=30s`;
    const bundle = decodeBase64(textAt(clientConfig, "caBundle"));
    const authorities = bundle === undefined || bundle.length === 0 ? {} : { authorities: decodeUtf8(bundle) };
    let answer;
    try {
      const host =
        service === undefined
          ? { origin }
          : { origin: originOf(options.storage, service), serverName: nameOf(service) };
      answer = await post(options, { server: { ...host, ...authorities }, path: target, review });
    } catch (error) {
      throw new Error(`Post ${JSON.stringify(`${origin}${target}`)}: ${messageOf(error)}`, { cause: error });
    }
    return decoded(answer);
  };
}

interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

interface Address {
  /** As messages name it: of a Service its name in the cluster. */
  readonly origin: string;
  readonly path: string;
  readonly service?: ServicePort;
}

function addressOf(clientConfig: JsonObject): Address {
  const named = getOwn(clientConfig, "service");
  if (!isObject(named)) {
    const url = new URL(textAt(clientConfig, "url"));
    return { origin: url.origin, path: url.pathname };
  }
  const service = {
    namespace: textAt(named, "namespace"),
    name: textAt(named, "name"),
    port: Number(getOwn(named, "port") ?? HTTPS_PORT),
  };
  return { origin: `https://${nameOf(service)}:${service.port}`, path: textAt(named, "path") || "/", service };
}

function nameOf({ name, namespace }: ServicePort): string {
  return `${name}.${namespace}.svc`;
}

/** Where a Service is reached: at its cluster IP, or by the name that it stands for. @throws Error */
function originOf(storage: Storage, { namespace, name, port }: ServicePort): string {
  const spec = getOwn(storage.get("/services", `${namespace}/${name}`)?.object ?? {}, "spec");
  if (!isObject(spec)) throw new Error(`service ${JSON.stringify(name)} not found`);
  if (textAt(spec, "type") === "ExternalName") return `https://${textAt(spec, "externalName")}:${port}`;
  const ports = getOwn(spec, "ports");
  const has = isArray(ports) && ports.some((p) => isObject(p) && Number(getOwn(p, "port")) === port);
  if (!has) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const address = textAt(spec, "clusterIP");
  const host = address === "" || address === "None" ? nameOf({ namespace, name, port }) : address;
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** @throws whatever the transport says, or that the time is up */
async function post(
  { transport, clock, signal }: WebhookOptions,
  { server, path, review }: { readonly server: WebhookServer; readonly path: string; readonly review: JsonObject },
): Promise<Answer> {
  if (transport === undefined) throw new Error("this server has no transport to webhooks");
  const own = new AbortController();
  const stops = [
    onAbort(signal, () => own.abort(signal.reason)),
    clock.schedule(TIMEOUT_MS, () =>
      own.abort(new Error("context deadline exceeded (Client.Timeout exceeded while awaiting headers)")),
    ),
  ];
  try {
    const response = await transport(server)(
      {
        method: "POST",
        path,
        headers: { accept: "application/json, */*", "content-type": "application/json" },
        body: stringifyJson(review),
      },
      own.signal,
    );
    return { status: response.status, text: await bodyText(response) };
  } finally {
    for (const stop of stops) stop();
  }
}

/** What a refusal without a Status is called (apimachinery: pkg/api/errors). */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [400, "the server rejected our request for an unknown reason"],
  [401, "the server has asked for the client to provide credentials"],
  [404, "the server could not find the requested resource"],
  [405, "the server does not allow this method on the requested resource"],
  [429, "the server has received too many requests and has asked us to try again later"],
  [503, "the server is currently unable to handle the request"],
]);

/** The body of an answer of success. @throws Error with the message of any other */
function decoded({ status, text }: Answer): JsonValue {
  const value = parsed(text);
  if (status >= 200 && status <= 206) {
    if (!isObject(value)) throw new Error("couldn't get version/kind; the answer is not a JSON object");
    return value;
  }
  if (isObject(value) && textAt(value, "kind") === "Status" && textAt(value, "status") === "Failure")
    throw new Error(textAt(value, "message"));
  const known = REFUSALS.get(status);
  if (known !== undefined) throw new Error(known);
  throw new Error(
    status >= 500
      ? `an error on the server (${JSON.stringify(text.trim() || "unknown")}) has prevented the request from succeeding`
      : `the server responded with the status code ${status} but did not return more information`,
  );
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function textAt(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === "string" ? value : "";
}
