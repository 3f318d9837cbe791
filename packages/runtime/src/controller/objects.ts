import { FairleadError, formatTime } from "@fairlead/base";
import type { Condition, KubernetesObject, OwnerReference } from "@fairlead/apimachinery";
import { apiVersionOf, type ResourceKind } from "@fairlead/client";

/** An object cannot own another: it has no uid, or lives in a namespace while the other does not. */
export class OwnerError extends FairleadError {
  constructor(message: string) {
    super("Owner", message);
  }
}

/**
 * The reference by which an object owns what it makes, as its controller. Deleting the owner deletes what it owns.
 *
 * @param child - Where the owned object lives; an owner with a namespace can only own in that namespace.
 * @throws OwnerError
 */
export function controllerReference<T extends KubernetesObject>(
  kind: ResourceKind<T>,
  owner: T,
  child: { readonly namespace?: string } = owner.metadata,
): OwnerReference {
  const { name, uid, namespace } = owner.metadata;
  if (uid === undefined)
    throw new OwnerError(`${kind.kind} ${name} has no uid, so it was not read from a server and cannot own anything`);
  if (kind.namespaced && namespace !== child.namespace) {
    throw new OwnerError(
      `${kind.kind} ${namespace ?? ""}/${name} cannot own what is ${child.namespace === undefined ? "in no namespace" : `in namespace ${child.namespace}`}; the garbage collector would delete it`,
    );
  }
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/**
 * A list of conditions with one set, for `ctx.status`. The others and the order stay; `lastTransitionTime` moves only when
 * the status does, so setting what is set already changes nothing.
 *
 * @param nowMs - Milliseconds, from the clock.
 */
export function withCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  condition: Omit<C, "lastTransitionTime">,
  nowMs: number,
): readonly C[] {
  const held = conditions ?? [];
  const at = held.findIndex((one) => one.type === condition.type);
  const before = held[at];
  const lastTransitionTime =
    before?.status === condition.status && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : formatTime(nowMs);
  const next = { ...condition, lastTransitionTime } as unknown as C;
  return at < 0 ? [...held, next] : held.with(at, next);
}
