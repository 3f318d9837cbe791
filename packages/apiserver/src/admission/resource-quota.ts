import { getOwn, isObject, type Clock, type JsonObject } from "@fairlead/base";
import {
  addAmounts,
  quotaCharges,
  quotaEvaluator,
  quotaStatus,
  resourceListOf,
  withoutAmounts,
  type Amounts,
  type QuotaChange,
  type QuotaEvaluator,
} from "@fairlead/apimachinery";

import { forbidden } from "../registry/failures.js";
import type { Record, Storage } from "../storage/storage.js";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.js";
import type { Booking } from "./booking.js";

const COLLECTION = "/resourcequotas";

/**
 * Refuses what the quotas of a namespace do not allow, by their status, and counts what they do. It is asked in the turn
 * of the write and by the newest status, so two writes never take the same room.
 */
export function resourceQuota(storage: Storage, clock: Clock): AdmissionPlugin {
  return {
    name: "ResourceQuota",
    book: (request) => {
      const { namespace, object } = request;
      if (namespace === undefined || object === undefined || storage.count(COLLECTION, `${namespace}/`) === 0)
        return [];
      const evaluator = handles(request);
      if (evaluator === undefined) return [];
      const quotas = quotasOf(storage, namespace);
      const { oldObject, subresource } = request;
      const change: QuotaChange = { object, oldObject, nowMs: clock.now(), lenient: subresource === "status" };
      const charges = quotaCharges(
        evaluator,
        quotas.map((quota) => quota.object),
        change,
      );
      if (charges.kind === "refused") throw forbidden(request.endpoint.strategy.info, request.name, charges.why);
      return quotas.flatMap((quota, i) => {
        const added = charges.added[i];
        return added === undefined || added.size === 0 ? [] : [bookingOf(quota, added)];
      });
    },
  };
}

/** What measures an object, where the write can make it use more. */
function handles({ operation, endpoint, subresource }: AdmissionRequest): QuotaEvaluator | undefined {
  const { group, resource } = endpoint.strategy.info;
  const evaluator = quotaEvaluator(group, resource);
  if (operation === "CREATE") return subresource === "" ? evaluator : undefined;
  return operation === "UPDATE" && evaluator?.updates.has(subresource) === true ? evaluator : undefined;
}

function quotasOf(storage: Storage, namespace: string): readonly Record[] {
  return storage
    .list(COLLECTION, { prefix: `${namespace}/` })
    .flatMap(({ key }) => storage.getForWrite(COLLECTION, key) ?? []);
}

function bookingOf({ key }: Record, added: Amounts): Booking {
  return {
    group: "",
    resource: "resourcequotas",
    key,
    charged: (quota) => withUsed(quota, addAmounts(quotaStatus(quota).used, added)),
    refunded: (quota) => withUsed(quota, withoutAmounts(quotaStatus(quota).used, added)),
  };
}

function withUsed(quota: JsonObject, used: Amounts): JsonObject {
  const status = getOwn(quota, "status");
  return { ...quota, status: { ...(isObject(status) ? status : {}), used: resourceListOf(used) } };
}
