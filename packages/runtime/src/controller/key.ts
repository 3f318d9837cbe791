import type { ObjectKey } from "@fairlead/apimachinery";

/** The key that `formatKey` printed. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf("/");
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
