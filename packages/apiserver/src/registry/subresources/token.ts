import { formatTime, getOwn, getPath, isArray, type JsonObject } from "@fairlead/base";

import type { ServiceAccountTokens } from "../../auth/service-account-tokens.js";
import { storageKey, type Endpoint } from "../endpoint.js";
import { invalid, notFound } from "../failures.js";
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
  const { token, expiresMs } = tokens.issue(record.object, { expirationSeconds, audiences: wanted });
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

function refuse(seconds: number, why: string): never {
  throw invalid({ group: "authentication.k8s.io", kind: "TokenRequest" }, "", [
    { type: "FieldValueInvalid", field: "spec.expirationSeconds", badValue: seconds, detail: why },
  ]);
}
