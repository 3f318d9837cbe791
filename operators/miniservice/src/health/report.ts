import type { ObjectHealth } from "./object.js";

/** Objects, children included, that are in one of the states; a child only with its parent. */
export function inState(
  objects: readonly ObjectHealth[],
  states: readonly ObjectHealth["state"][],
): readonly ObjectHealth[] {
  return objects.filter((o) => states.includes(o.state));
}

/** One block for each object: its id, its reason, its warnings, then its children that are in the same states. */
export function healthMessage(objects: readonly ObjectHealth[], states: readonly ObjectHealth["state"][]): string {
  let text = "";
  for (const object of inState(objects, states)) {
    text += object.id;
    if (object.reason !== "") text += `: ${object.reason}`;
    if (object.events.length > 0) {
      text += "\nevents:\n";
      for (const event of object.events) text += `\t${event.reason}: ${event.message}\n`;
    }
    text += "\n";
    text += healthMessage(object.children, states);
  }
  return text;
}

/** Pods that run of pods that are wanted, over everything that makes pods. */
export interface PodCount {
  readonly ready: number;
  readonly wanted: number;
}
