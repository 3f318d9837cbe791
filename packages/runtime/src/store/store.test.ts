import type { KubernetesObject, ResourceVersion } from "@fairlead/apimachinery";
import { describe, expect, it } from "vitest";
import type { StoreEvent } from "../watcher/step.js";
import { Store, type Change } from "./store.js";

interface Thing extends KubernetesObject {
  readonly spec?: { readonly node?: string };
}

function thing(name: string, version: number, uid = `${name}-1`, node?: string): Thing {
  return {
    metadata: { name, namespace: "ns", uid: uid as never, resourceVersion: String(version) as ResourceVersion },
    ...(node === undefined ? {} : { spec: { node } }),
  };
}

const changed = (object: Thing): StoreEvent<Thing> => ({ type: "changed", object });
const deleted = (object: Thing): StoreEvent<Thing> => ({ type: "deleted", object });
const list = (version: number, ...objects: readonly Thing[]): readonly StoreEvent<Thing>[] => [
  { type: "listStart" },
  ...objects.map((object) => ({ type: "listed", object }) as const),
  { type: "listEnd", resourceVersion: String(version) as ResourceVersion },
];

/** What a store says to a series of steps, shortened. */
function told(
  store: Store<Thing>,
  ...steps: readonly (StoreEvent<Thing> | readonly StoreEvent<Thing>[] | { readonly wrote: Thing })[]
): readonly string[] {
  const changes: Change<Thing>[] = [];
  for (const step of steps) {
    if ("wrote" in step) changes.push(...store.wrote(step.wrote));
    else for (const event of "type" in step ? [step] : step) changes.push(...store.take(event));
  }
  return changes.map(({ type, object }) => `${type} ${object.metadata.name}@${object.metadata.resourceVersion ?? ""}`);
}

const held = (store: Store<Thing>): readonly string[] =>
  store.list().map((object) => `${object.metadata.name}@${object.metadata.resourceVersion ?? ""}`);

describe("a store", () => {
  it.each<
    [
      sentence: string,
      steps: Parameters<typeof told> extends [unknown, ...infer S] ? S : never,
      told: readonly string[],
      held: readonly string[],
    ]
  >([
    [
      "takes a list as a whole, at its end",
      [list(5, thing("a", 1), thing("b", 2))],
      ["added a@1", "added b@2"],
      ["a@1", "b@2"],
    ],
    [
      "keeps what it had while a list is not complete",
      [list(5, thing("a", 1)), list(6, thing("b", 2)).slice(0, 2)],
      ["added a@1"],
      ["a@1"],
    ],
    [
      "finds by a second list what was deleted meanwhile",
      [list(5, thing("a", 1), thing("b", 2)), list(9, thing("b", 7))],
      ["added a@1", "added b@2", "deleted a@1", "updated b@7"],
      ["b@7"],
    ],
    [
      "says nothing about what it knows",
      [list(5, thing("a", 1)), changed(thing("a", 1)), list(6, thing("a", 1))],
      ["added a@1"],
      ["a@1"],
    ],
    ["does not go back to an older version", [list(5, thing("a", 4)), changed(thing("a", 3))], ["added a@4"], ["a@4"]],
    [
      "sees a re-created object as another",
      [list(5, thing("a", 4)), changed(thing("a", 8, "a-2"))],
      ["added a@4", "deleted a@4", "added a@8"],
      ["a@8"],
    ],
    [
      "ignores the deletion of an earlier life",
      [list(5, thing("a", 4, "a-2")), deleted(thing("a", 5, "a-1"))],
      ["added a@4"],
      ["a@4"],
    ],
    [
      "does not raise the dead",
      [list(5, thing("a", 4)), deleted(thing("a", 6)), changed(thing("a", 4))],
      ["added a@4", "deleted a@6"],
      [],
    ],
    [
      "shows an own write before the watch does, and says nothing when it comes",
      [list(5), { wrote: thing("a", 6) }, changed(thing("a", 6))],
      ["added a@6"],
      ["a@6"],
    ],
    [
      "keeps an own write over the older event that was under way",
      [list(5, thing("a", 4)), { wrote: thing("a", 7) }, changed(thing("a", 6))],
      ["added a@4", "updated a@7"],
      ["a@7"],
    ],
    [
      "ignores an own write that the watch has been past: it may be deleted since",
      [list(5), changed(thing("a", 6)), deleted(thing("a", 7)), { wrote: thing("a", 6) }],
      ["added a@6", "deleted a@7"],
      [],
    ],
    ["ignores an own write before the first list", [{ wrote: thing("a", 6) }], [], []],
    [
      "keeps an own write that a list cannot know",
      [list(5), { wrote: thing("a", 8) }, list(7)],
      ["added a@8"],
      ["a@8"],
    ],
    [
      "drops an own write that a newer list does not have",
      [list(5), { wrote: thing("a", 8) }, list(9)],
      ["added a@8", "deleted a@8"],
      [],
    ],
  ])("%s", (_sentence, steps, wantTold, wantHeld) => {
    const store = new Store<Thing>();
    expect(told(store, ...steps)).toEqual(wantTold);
    expect(held(store)).toEqual(wantHeld);
  });

  it("hides what was removed by an own deletion, of that life only", () => {
    const store = new Store<Thing>();
    told(store, list(5, thing("a", 4)));
    expect(store.removed({ namespace: "ns", name: "a" }, "other" as never)).toEqual([]);
    expect(store.removed({ namespace: "ns", name: "a" }, "a-1" as never)).toHaveLength(1);
    expect(told(store, changed(thing("a", 5)), deleted(thing("a", 6)))).toEqual([]);
  });

  it("finds objects by namespace and by index, as they are now", () => {
    const store = new Store<Thing>({
      indexes: { node: (object) => (object.spec?.node === undefined ? [] : [object.spec.node]) },
    });
    told(store, list(5, thing("a", 1, "a-1", "n1"), thing("b", 2, "b-1", "n1")), changed(thing("a", 6, "a-1", "n2")));
    const names = (objects: readonly Thing[]): readonly string[] => objects.map((object) => object.metadata.name);
    expect(names(store.by("node", "n1"))).toEqual(["b"]);
    expect(names(store.by("node", "n2"))).toEqual(["a"]);
    told(store, deleted(thing("a", 7, "a-1", "n2")));
    expect(store.by("node", "n2")).toEqual([]);
    expect(names(store.list("ns"))).toEqual(["b"]);
    expect(store.list("other")).toEqual([]);
    expect(() => store.by("zone", "z")).toThrow("no index");
  });

  it("freezes what it holds when it is told to", () => {
    const store = new Store<Thing>({ freeze: true });
    told(store, list(5, thing("a", 1, "a-1", "n1")));
    expect(() => {
      (store.list()[0]?.spec as { node: string }).node = "n2";
    }).toThrow(TypeError);
  });
});
