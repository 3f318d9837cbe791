import { formatTime, getOwn, getPath, isArray, isObject, type JsonObject, type JsonValue } from "@fairlead/base";

import type { BoundObject, ServiceAccountTokens } from "../../auth/service-account-tokens.js";
import { storageKey, type Endpoint } from "../endpoint.js";
import { badRequest, conflict, invalid, notFound } from "../failures.js";
import { metaText } from "../metadata.js";
import type { Registry } from "../registry.js";
import type { Target } from "../request.js";

const DEFAULT_SECONDS = 3600;
const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;

/** POST serviceaccounts/token: a new token for the account. @throws StatusError 404, 422 */
export function requestToken(
  registry: Registry,
  accounts: Endpoint,
  {
    target,
    request,
    tokens,
  }: { readonly target: Target; readonly request: JsonObject; readonly tokens: ServiceAccountTokens },
): JsonObject {
  const record = registry.storage.get(accounts.collection, storageKey(accounts, target.namespace, target.name));
  if (record === undefined) throw notFound(accounts.strategy.info, target.name);
  const asked = getPath(request, "spec", "expirationSeconds");
  const expirationSeconds = typeof asked === "number" ? asked : DEFAULT_SECONDS;
  if (expirationSeconds < LEAST_SECONDS) refuse(expirationSeconds, "may not specify a duration less than 10 minutes");
  if (expirationSeconds > MOST_SECONDS)
    refuse(expirationSeconds, "may not specify a duration larger than 2^32 seconds");
  const audiences = getPath(request, "spec", "audiences");
  const wanted = isArray(audiences) ? audiences.map(String) : [];
  const bound = boundObject(registry, record.object, getPath(request, "spec", "boundObjectRef"));
  const { token, expiresMs } = tokens.issue(record.object, { expirationSeconds, audiences: wanted, bound });
  return {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: {
      name: metaText(record.object, "name"),
      namespace: metaText(record.object, "namespace"),
      creationTimestamp: formatTime(registry.clock.now()),
    },
    spec: {
      ...(getOwn(request, "spec") as JsonObject | undefined),
      ...(wanted.length === 0 ? {} : { audiences: wanted }),
      expirationSeconds,
    },
    status: { token, expirationTimestamp: formatTime(expiresMs) },
  };
}

/** The object that a token ends with: a pod of the account, a secret or a node (k/k: registry/core/serviceaccount). */
function boundObject(
  registry: Registry,
  account: JsonObject,
  reference: JsonValue | undefined,
): BoundObject | undefined {
  if (!isObject(reference)) return undefined;
  const text = (key: string): string => {
    const value = getOwn(reference, key);
    return typeof value === "string" ? value : "";
  };
  const [apiVersion, kind, name] = [text("apiVersion"), text("kind"), text("name")];
  const resource = apiVersion === "v1" ? BINDABLE.get(kind) : undefined;
  if (resource === undefined) {
    const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    throw badRequest(`cannot bind token to object of type ${group ?? ""}/${version ?? ""}, Kind=${kind}`);
  }
  const key = kind === "Node" ? name : `${metaText(account, "namespace")}/${name}`;
  const live = registry.storage.get(`/${resource}`, key)?.object;
  if (live === undefined) throw notFound({ group: "", resource }, name);
  const accountName = metaText(account, "name");
  if (kind === "Pod" && (getPath(live, "spec", "serviceAccountName") ?? "") !== accountName)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(accountName)} to pod running with different serviceaccount name.`,
    );
  const uid = metaText(live, "uid");
  if (text("uid") !== "" && text("uid") !== uid)
    throw conflict(
      { group: "", resource: kind },
      name,
      `the UID in the bound object reference (${text("uid")}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  return { resource, key, claim: { [kind.toLowerCase()]: { name, uid } }, uid };
}

const BINDABLE: ReadonlyMap<string, string> = new Map([
  ["Node", "nodes"],
  ["Pod", "pods"],
  ["Secret", "secrets"],
]);

function refuse(seconds: number, why: string): never {
  throw invalid({ group: "authentication.k8s.io", kind: "TokenRequest" }, "", [
    { type: "FieldValueInvalid", field: "spec.expirationSeconds", badValue: seconds, detail: why },
  ]);
}
