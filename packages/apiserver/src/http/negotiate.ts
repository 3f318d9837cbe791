import { notAcceptable } from "../registry/failures.js";
import { OBJECT_TYPES } from "./body.js";

/** In which form a client wants its answer. */
export interface Negotiated {
  readonly format: "json" | "yaml";
  readonly as: "object" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  /** The meta.k8s.io version of a Table or PartialObjectMetadata. */
  readonly version: "v1" | "v1beta1";
}

const PLAIN: Negotiated = { format: "json", as: "object", version: "v1" };
const TRANSFORMS = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly q: number;
}

/**
 * Picks the first clause, by weight and then by place, that this server can answer. Protobuf is never sent: clients that
 * list it list JSON too.
 *
 * @throws StatusError 406
 */
export function negotiate(accept: string | undefined): Negotiated {
  if (accept === undefined || accept === "" || accept === "application/json" || accept === "*/*") return PLAIN;
  for (const clause of clauses(accept)) {
    const found = answer(clause);
    if (found !== undefined) return found;
  }
  throw notAcceptable(OBJECT_TYPES);
}

/** The clauses of an Accept header, heaviest first. */
export function clauses(accept: string): readonly Clause[] {
  const parsed = accept.split(",").map((text): Clause => {
    const [type = "", ...rest] = text.split(";").map((p) => p.trim());
    const parameters = new Map(
      rest.map((p) => [p.slice(0, Math.max(0, p.indexOf("="))), p.slice(p.indexOf("=") + 1)] as const),
    );
    return { type: type.toLowerCase(), parameters, q: Number(parameters.get("q") ?? 1) };
  });
  return parsed
    .map((c, i) => ({ c, i }))
    .sort((a, b) => b.c.q - a.c.q || a.i - b.i)
    .map(({ c }) => c);
}

function answer({ type, parameters }: Clause): Negotiated | undefined {
  const format =
    type === "application/yaml"
      ? "yaml"
      : type === "application/json" || type === "*/*" || type === "application/*"
        ? "json"
        : undefined;
  if (format === undefined) return undefined;
  const as = parameters.get("as");
  if (as === undefined) return { ...PLAIN, format };
  const version = parameters.get("v");
  if (!TRANSFORMS.has(as) || parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1"))
    return undefined;
  return { format, as: as as Negotiated["as"], version };
}
