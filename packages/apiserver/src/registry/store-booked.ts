import { messageOf, type JsonObject } from "@fairlead/base";
import { trackUpdate } from "@fairlead/ssa";

import type { AdmissionRequest } from "../admission/admission.js";
import type { Booking } from "../admission/booking.js";
import type { Record } from "../storage/storage.js";
import { managerContext, type Registry } from "./registry.js";
import { storeObject, type Place } from "./store.js";

/**
 * Stores an admitted object together with what it is charged for: decided and written in one turn, the object first, so
 * that whoever sees a status sees everything that it counts.
 *
 * @returns undefined, with nothing charged, when another write came between.
 * @throws StatusError when admission refuses it now
 */
export async function storeBooked(
  registry: Registry,
  request: AdmissionRequest,
  place: Place,
  object: JsonObject,
): Promise<Record | undefined> {
  const { storage } = registry;
  const { endpoint } = request;
  const bookings = registry.admission.book(request);
  if (bookings.length === 0) return storeObject(registry, endpoint, place, object);
  const before = storage.getForWrite(endpoint.collection, place.key);
  const storing = storeObject(registry, endpoint, place, object);
  if (storage.getForWrite(endpoint.collection, place.key) === before) return storing;
  const charging = Promise.all(bookings.map((booking) => changed(registry, booking, booking.charged)));
  const [stored] = await Promise.allSettled([storing]);
  const charged = await charging;
  if (stored.status === "fulfilled") return stored.value;
  for (const [i, booking] of bookings.entries())
    if (charged[i] === true) await changed(registry, booking, booking.refunded);
  throw stored.reason;
}

/** Whether the change was stored. It never throws: who recounts what is used sets right what could not be written. */
async function changed(
  registry: Registry,
  { group, resource, key }: Booking,
  change: (object: JsonObject) => JsonObject,
): Promise<boolean> {
  const endpoint = registry.find(group, resource);
  if (endpoint === undefined) return false;
  const record = registry.storage.getForWrite(endpoint.collection, key);
  if (record === undefined) return false;
  const next = trackUpdate(managerContext(registry, endpoint, "status"), {
    live: record.object,
    next: change(record.object),
    manager: "kube-apiserver",
  });
  try {
    return (await storeObject(registry, endpoint, { key, expected: record.revision }, next)) !== undefined;
  } catch (error) {
    registry.logger.warn("what a write uses could not be counted", { resource, key, error: messageOf(error) });
    return false;
  }
}
