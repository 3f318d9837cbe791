import { assertNever } from "@fairlead/base";
import { isStatus, type KubernetesObject, type ResourceVersion } from "@fairlead/apimachinery";
import type { Page, WatchEvent } from "@fairlead/client";

/**
 * The watcher as a pure state machine: list in pages, then watch from the list's version, for ever. It decides what is
 * asked next and what a store is told; the loop around it is in watcher.ts.
 */

/** Where the watcher stands. Only `watching` has a version to resume from. */
export type State =
  | { readonly at: "unlisted" }
  | { readonly at: "paging"; readonly next: string }
  | { readonly at: "watching"; readonly from: ResourceVersion };

/** What came of the call that the state asked for. */
export type Input<T> =
  | { readonly type: "page"; readonly page: Page<T> }
  | { readonly type: "wire"; readonly event: WatchEvent<T> }
  | { readonly type: "closed" }
  | { readonly type: "failed"; readonly error: unknown };

/**
 * What a store is told. A list is `listStart listed* listEnd`; until its end the store keeps what it had, and at the end
 * what was not listed is gone.
 */
export type StoreEvent<T> =
  | { readonly type: "listStart" }
  | { readonly type: "listed"; readonly object: T }
  | { readonly type: "listEnd"; readonly resourceVersion: ResourceVersion }
  | { readonly type: "changed"; readonly object: T }
  | { readonly type: "deleted"; readonly object: T }
  /** Nothing happened up to this version. */
  | { readonly type: "reached"; readonly resourceVersion: ResourceVersion };

export interface Step<T> {
  readonly state: State;
  readonly emit: readonly StoreEvent<T>[];
}

export const UNLISTED: State = Object.freeze({ at: "unlisted" });

/**
 * What happens next. A version or a page token that is too old (410, in either form) is forgotten, so everything is
 * listed again; any other failure keeps what there is and is simply tried again.
 */
export function step<T extends KubernetesObject>(state: State, input: Input<T>): Step<T> {
  switch (input.type) {
    case "page":
      return onPage(state, input.page);
    case "wire":
      return onWire(state, input.event);
    case "closed":
      return { state, emit: [] };
    case "failed":
      return { state: isTooOld(input.error) ? UNLISTED : state, emit: [] };
    default:
      return assertNever(input);
  }
}

/** Whether an error says that a version or a page token is no longer served. */
export function isTooOld(error: unknown): boolean {
  return isStatus(error, "Expired") || isStatus(error, "Gone");
}

function onPage<T extends KubernetesObject>(state: State, page: Page<T>): Step<T> {
  const emit: StoreEvent<T>[] = state.at === "paging" ? [] : [{ type: "listStart" }];
  for (const object of page.items) emit.push({ type: "listed", object });
  if (page.continue !== undefined) return { state: { at: "paging", next: page.continue }, emit };
  emit.push({ type: "listEnd", resourceVersion: page.resourceVersion });
  return { state: { at: "watching", from: page.resourceVersion }, emit };
}

function onWire<T extends KubernetesObject>(state: State, event: WatchEvent<T>): Step<T> {
  switch (event.type) {
    case "ADDED":
    case "MODIFIED":
      return {
        state: after(state, event.object.metadata.resourceVersion),
        emit: [{ type: "changed", object: event.object }],
      };
    case "DELETED":
      return {
        state: after(state, event.object.metadata.resourceVersion),
        emit: [{ type: "deleted", object: event.object }],
      };
    case "BOOKMARK":
      return {
        state: after(state, event.resourceVersion),
        emit: [{ type: "reached", resourceVersion: event.resourceVersion }],
      };
    default:
      return assertNever(event);
  }
}

function after(state: State, from: ResourceVersion | undefined): State {
  return from === undefined ? state : { at: "watching", from };
}
