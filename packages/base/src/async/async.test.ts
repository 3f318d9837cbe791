import { describe, expect, it } from "vitest";

import { deferred, onAbort, orAborted, whenAborted } from "./async.js";
import { Channel } from "./channel.js";

describe("onAbort", () => {
  it("puts one listener on a signal however many wait, and none when nobody does", () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
    const releases = Array.from({ length: 50 }, () => onAbort(signal, () => undefined));
    expect(listeners).toBe(1);
    for (const release of releases) release();
    for (const release of releases) release();
    expect(listeners).toBe(0);
  });

  it("calls everyone once, those that come late at once, and not those that left", () => {
    const controller = new AbortController();
    const called: string[] = [];
    onAbort(controller.signal, () => called.push("first"));
    onAbort(controller.signal, () => called.push("left"))();
    controller.abort();
    onAbort(controller.signal, () => called.push("late"));
    expect(called).toEqual(["first", "late"]);
  });
});

describe("orAborted", () => {
  it("is whichever comes first", async () => {
    const controller = new AbortController();
    await expect(orAborted(Promise.resolve(1), controller.signal)).resolves.toBe(1);
    await expect(orAborted(Promise.reject(new Error("own")), controller.signal)).rejects.toThrow("own");
    const waiting = orAborted(deferred<number>().promise, controller.signal);
    controller.abort(new Error("stop"));
    await expect(waiting).rejects.toThrow("stop");
    await expect(orAborted(Promise.resolve(1), controller.signal)).rejects.toThrow("stop");
    await whenAborted(controller.signal);
  });
});

describe("a channel", () => {
  it("hands over in order, refuses when full or closed, and ends after what was pushed", async () => {
    const channel = new Channel<number>(2);
    expect([channel.push(1), channel.push(2), channel.push(3)]).toEqual(["taken", "taken", "full"]);
    channel.close();
    expect(channel.push(4)).toBe("closed");
    const got: number[] = [];
    for await (const value of channel) got.push(value);
    expect(got).toEqual([1, 2]);
  });

  it("takes values up to a weight, and one whatever it weighs", async () => {
    const channel = new Channel<string>(10, 5);
    expect(channel.push("heavy", 9)).toBe("taken");
    expect(channel.push("light", 1)).toBe("full");
    const reader = channel[Symbol.asyncIterator]();
    expect((await reader.next()).value).toBe("heavy");
    expect(channel.push("a", 3)).toBe("taken");
    expect(channel.push("b", 2)).toBe("taken");
    expect(channel.push("c", 1)).toBe("full");
    expect((await reader.next()).value).toBe("a");
    expect(channel.push("c", 1)).toBe("taken");
    channel.close();
    expect([(await reader.next()).value, (await reader.next()).value]).toEqual(["b", "c"]);
    expect((await reader.next()).done).toBe(true);
  });

  it("ends with its error after what was pushed", async () => {
    const channel = new Channel<number>(10);
    channel.push(1);
    channel.close(new Error("gone"));
    const got: number[] = [];
    await expect(
      (async () => {
        for await (const value of channel) got.push(value);
      })(),
    ).rejects.toThrow("gone");
    expect(got).toEqual([1]);
  });

  it("wakes a reader that waits", async () => {
    const channel = new Channel<number>(10);
    const next = channel[Symbol.asyncIterator]().next();
    channel.push(7);
    await expect(next).resolves.toEqual({ done: false, value: 7 });
  });
});
