import type { HttpResponse, JsonObject, Transport } from "@fairlead/base";

interface Event {
  readonly type: string;
  readonly object: JsonObject;
}

/** What a broken server sends instead of an event; `earlier` are those that were sent before it, newest last. */
export type Mutant = (event: Event, earlier: readonly Event[]) => readonly Event[];

const isObject = ({ type }: Event): boolean => type !== "BOOKMARK" && type !== "ERROR";
const metadataOf = ({ object }: Event): JsonObject => object["metadata"] as JsonObject;
const moved = (event: Event, by: number): Event => {
  const resourceVersion = String(Number(metadataOf(event)["resourceVersion"]) + by);
  return { ...event, object: { ...event.object, metadata: { ...metadataOf(event), resourceVersion } } };
};
/** Some of them only, so that a checker has to look. */
const sometimes = (event: Event): boolean => Number(metadataOf(event)["resourceVersion"]) % 17 === 0;

/** Bugs of real servers, by their rows in the catalogue, as a client meets them. */
export const MUTANTS: readonly (readonly [name: string, mutant: Mutant])[] = [
  [
    "B154: the first event of a stream is lost",
    (event, { length }) => (length === 0 && isObject(event) ? [] : [event]),
  ],
  ["B155: deletions are lost", (event) => (event.type === "DELETED" ? [] : [event])],
  ["B157: an event is lost now and then", (event) => (isObject(event) && sometimes(event) ? [] : [event])],
  [
    "B158: a watch goes back in time",
    (event, earlier) => (isObject(event) && sometimes(event) ? [event, earlier.at(-1) ?? event] : [event]),
  ],
  ["B159: a bookmark is ahead of its events", (event) => (event.type === "BOOKMARK" ? [moved(event, 5)] : [event])],
  ["a bookmark is behind its events", (event) => (event.type === "BOOKMARK" ? [moved(event, -5)] : [event])],
  ["B162: an event is sent twice", (event) => (isObject(event) && sometimes(event) ? [event, event] : [event])],
  ["an event carries another revision", (event) => (isObject(event) && sometimes(event) ? [moved(event, 1)] : [event])],
  [
    "what leaves a selection is MODIFIED",
    (event) => (event.type === "DELETED" ? [{ ...event, type: "MODIFIED" }] : [event]),
  ],
  [
    "what enters a selection is MODIFIED",
    (event, earlier) =>
      event.type === "ADDED" && earlier.some(({ type }) => type === "BOOKMARK")
        ? [{ ...event, type: "MODIFIED" }]
        : [event],
  ],
  [
    "the end of the state is not marked",
    (event) => {
      const { annotations, ...metadata } = metadataOf(event);
      return annotations === undefined || event.type !== "BOOKMARK"
        ? [event]
        : [{ ...event, object: { ...event.object, metadata } }];
    },
  ],
];

/** A server whose watches are broken in one way. */
export function mutated(transport: Transport, mutant: Mutant): Transport {
  return async (request, signal) => {
    const response = await transport(request, signal);
    return request.path.includes("watch=true") ? { ...response, body: changed(response.body, mutant) } : response;
  };
}

async function* changed(body: HttpResponse["body"], mutant: Mutant): AsyncGenerator<string> {
  const sent: Event[] = [];
  for await (const line of body as AsyncIterable<string>) {
    for (const event of mutant(JSON.parse(line) as Event, sent)) {
      sent.push(event);
      yield `${JSON.stringify(event)}\n`;
    }
  }
}
