import { invariant, stringifyJson, type JsonObject } from "@fairlead/base";
import { StatusError } from "@fairlead/apimachinery";
import { readAhead, type ManagerContext } from "@fairlead/ssa";

import type { Endpoint, WebhookConversion } from "./endpoint.js";
import { managerContext, type Registry } from "./registry.js";

/** The object in another version of its endpoint: a promise only where a webhook has to be asked. */
export function converted(
  { conversion }: Endpoint,
  object: JsonObject,
  apiVersion: string,
): JsonObject | Promise<JsonObject> {
  return conversion.kind === "local"
    ? conversion.convert(object, apiVersion)
    : convertOne(conversion, object, apiVersion);
}

/** Looks up what an object became. */
export type InVersion = (object: JsonObject) => JsonObject;

/** Reads objects in another version; a webhook is asked for all of them first. */
export function inVersion(
  { conversion }: Endpoint,
  objects: Iterable<JsonObject>,
  apiVersion: string,
): InVersion | Promise<InVersion> {
  if (conversion.kind === "local") return (object) => conversion.convert(object, apiVersion);
  const asked = [...objects];
  return conversion.convertAll(asked, apiVersion).then((made) => {
    const known = new Map(asked.map((object, i) => [object, made[i]]));
    return (object) => {
      const found = known.get(object);
      invariant(found !== undefined, "an object is read that was not converted");
      return found;
    };
  });
}

/** Conversions that one decision about ownership may ask for: three objects in each version that a manager has used. */
const DECISION_LIMIT = 300;

/**
 * Decides about field ownership, which compares objects in the versions that their managers used. The decision is pure
 * and does not wait: where it misses a conversion it is left, the webhook is asked, and it is made again.
 */
export function decideOwnership<T>(
  registry: Registry,
  { endpoint, subresource }: { readonly endpoint: Endpoint; readonly subresource: string },
  decide: (context: ManagerContext) => T,
): T | Promise<T> {
  const context = managerContext(registry, endpoint, subresource);
  const { conversion } = endpoint;
  return conversion.kind === "local" ? decide(context) : decideWithWebhook(conversion, context, decide);
}

/** Does what a decision about an object can do before there is anything to decide; not where a webhook converts. */
export function readOwnershipAhead(
  registry: Registry,
  { endpoint, subresource }: { readonly endpoint: Endpoint; readonly subresource: string },
  live: JsonObject,
): void {
  if (endpoint.conversion.kind === "local") readAhead(managerContext(registry, endpoint, subresource), live);
}

async function decideWithWebhook<T>(
  conversion: WebhookConversion,
  context: ManagerContext,
  decide: (context: ManagerContext) => T,
): Promise<T> {
  const known = new Map<string, JsonObject | StatusError>();
  const convert = (object: JsonObject, apiVersion: string): JsonObject => {
    if (object["apiVersion"] === apiVersion) return object;
    const key = `${apiVersion} ${stringifyJson(object)}`;
    const found = known.get(key);
    if (found === undefined) throw new ConversionMissing(object, apiVersion, key);
    if (found instanceof StatusError) throw found;
    return found;
  };
  for (let asked = 0; asked < DECISION_LIMIT; asked++) {
    try {
      return decide({ ...context, convert });
    } catch (error) {
      if (!(error instanceof ConversionMissing)) throw error;
      known.set(error.key, await convertOrFailure(conversion, error));
    }
  }
  return decide({ ...context, convert });
}

/** Leaves a decision. It is nobody's failure and no FairleadError, so that no step on the way takes it for its own. */
class ConversionMissing extends Error {
  readonly object: JsonObject;
  readonly apiVersion: string;
  readonly key: string;

  constructor(object: JsonObject, apiVersion: string, key: string) {
    super(`a conversion to ${apiVersion} is missing`);
    this.object = object;
    this.apiVersion = apiVersion;
    this.key = key;
  }
}

async function convertOrFailure(
  conversion: WebhookConversion,
  { object, apiVersion }: ConversionMissing,
): Promise<JsonObject | StatusError> {
  try {
    return await convertOne(conversion, object, apiVersion);
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

async function convertOne(conversion: WebhookConversion, object: JsonObject, apiVersion: string): Promise<JsonObject> {
  const [made] = await conversion.convertAll([object], apiVersion);
  invariant(made !== undefined, "a conversion of one object has one result");
  return made;
}
