import { findQuantity, quantityMilliValue } from "@fairlead/apimachinery";
import type { kinds } from "@fairlead/client";

/** Amounts by resource, in thousandths. */
export type Amounts = ReadonlyMap<string, bigint>;

type Quantities = Readonly<Record<string, unknown>> | undefined;

/** Quantities as amounts; what is no quantity counts as nothing. */
export function amounts(quantities: Quantities): Map<string, bigint> {
  const out = new Map<string, bigint>();
  for (const [name, text] of Object.entries(quantities ?? {})) {
    const quantity = findQuantity(String(text));
    if (quantity !== undefined) out.set(name, quantityMilliValue(quantity));
  }
  return out;
}

export function add(to: Map<string, bigint>, more: Amounts): void {
  for (const [name, amount] of more) to.set(name, (to.get(name) ?? 0n) + amount);
}

/** What a pod asks for: the sum of its containers or the largest init container, whichever is more, and one pod. */
export function podRequests(pod: kinds.Pod): Amounts {
  const sum = new Map<string, bigint>();
  for (const container of pod.spec?.containers ?? []) add(sum, requests(container));
  for (const container of pod.spec?.initContainers ?? []) {
    const own = requests(container);
    if (container.restartPolicy === "Always") add(sum, own);
    else for (const [name, amount] of own) if (amount > (sum.get(name) ?? 0n)) sum.set(name, amount);
  }
  add(sum, amounts(pod.spec?.overhead));
  sum.set("pods", 1000n);
  return sum;
}

/** Limits stand in for requests that are not given. */
function requests(container: kinds.Container): Amounts {
  const out = amounts(container.resources?.limits);
  for (const [name, amount] of amounts(container.resources?.requests)) out.set(name, amount);
  return out;
}

/** The first resource of which there is not enough; undefined when everything fits. */
export function shortage(wanted: Amounts, free: Amounts): string | undefined {
  for (const [name, amount] of wanted) if (amount > 0n && amount > (free.get(name) ?? 0n)) return name;
  return undefined;
}
