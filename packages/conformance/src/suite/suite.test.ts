import type { JsonObject } from "@fairlead/base";
import { describe, expect, it } from "vitest";

import { differences } from "./differences.js";
import { digest, trimmed, type Answer } from "./digest.js";
import { normalize } from "./normalize.js";
import { Symbols } from "./symbols.js";

const answer = (body: unknown, change: Partial<Answer> = {}): Answer => ({
  status: 200,
  contentType: "application/json",
  warnings: [],
  text: JSON.stringify(body),
  ...change,
});

describe("symbols", () => {
  it("number what they meet, and give equal values equal symbols", () => {
    const symbols = new Symbols();
    const seen = normalize(
      [
        { uid: "u-1", resourceVersion: "7" },
        { uid: "u-2", resourceVersion: "7" },
        { uid: "u-1", resourceVersion: "8" },
      ],
      symbols,
    );
    expect(seen).toEqual([
      { uid: "<uid:1>", resourceVersion: "<rv:1>" },
      { uid: "<uid:2>", resourceVersion: "<rv:1>" },
      { uid: "<uid:1>", resourceVersion: "<rv:2>" },
    ]);
    expect(symbols.expand("/x?resourceVersion=<rv:2>&u=<uid:2>&n=<name:1>")).toBe(
      "/x?resourceVersion=8&u=u-2&n=<name:1>",
    );
  });

  it("number lists, bookmarks and continue tokens by their place", () => {
    const symbols = new Symbols();
    const list = { items: [], metadata: { resourceVersion: "7", continue: "abc" } };
    const bookmark = { type: "BOOKMARK", object: { kind: "Pod", metadata: { resourceVersion: "7" } } };
    expect(normalize([list, bookmark], symbols)).toEqual([
      { items: [], metadata: { resourceVersion: "<lrv:1>", continue: "<token:1>" } },
      { type: "BOOKMARK", object: { kind: "Pod", metadata: { resourceVersion: "<lrv:2>" } } },
    ]);
  });

  it("know the address of each Service, by the symbol of its uid", () => {
    const symbols = new Symbols();
    const service = {
      kind: "Service",
      metadata: { uid: "u-1" },
      spec: { clusterIP: "10.0.0.7", clusterIPs: ["10.0.0.7"] },
    };
    const headless = { kind: "Service", metadata: { uid: "u-2" }, spec: { clusterIP: "None" } };
    expect(normalize([service, headless], symbols)).toMatchObject([
      { spec: { clusterIP: "<ip>" } },
      { spec: { clusterIP: "None" } },
    ]);
    const found = ["<uid:1>", "<uid:2>", "<uid:3>", "u-1"].map((uid) => symbols.address(uid));
    expect(found).toEqual(["10.0.0.7", undefined, undefined, undefined]);
  });

  it("are forgotten with the copy that learnt them", () => {
    const symbols = new Symbols();
    const trial = symbols.clone();
    trial.of("uid", "u-1");
    expect(symbols.of("uid", "u-2")).toBe("<uid:1>");
    symbols.adopt(trial);
    expect(symbols.value("<uid:1>")).toBe("u-1");
  });

  it("stand for values inside texts, versions only where they are named as such", () => {
    const symbols = new Symbols();
    symbols.of("uid", "1234-abcd");
    symbols.of("rv", "12");
    expect(symbols.fold('uid 1234-abcd, 12 pods, resourceVersion="12"')).toBe(
      'uid <uid:1>, 12 pods, resourceVersion="<rv:1>"',
    );
  });
});

describe("an answer", () => {
  it("keeps its status, warnings, other content types, and the events of a watch", () => {
    const symbols = new Symbols();
    expect(digest(answer({ a: 1 }, { warnings: ["299 - x"] }), symbols, { watch: false })).toEqual({
      status: 200,
      warnings: ["299 - x"],
      body: { a: 1 },
    });
    expect(digest(answer(0, { contentType: "text/plain", text: "ok" }), symbols, { watch: false })).toEqual({
      status: 200,
      contentType: "text/plain",
      text: "ok",
    });
    expect(digest(answer(0, { text: '{"type":"ADDED"}\n\n' }), symbols, { watch: true })).toEqual({
      status: 200,
      events: [{ type: "ADDED" }],
    });
    expect(digest(answer(0, { text: "{" }), symbols, { watch: false })).toEqual({ status: 200, text: "{" });
  });

  const whole: JsonObject = {
    status: 200,
    body: { a: { x: 1, y: 2 }, items: [{ name: "b" }, { name: "a" }, { name: "c" }] },
  };
  it.each([
    ["what is picked", { pick: [["body", "a", "x"]] }, { status: 200, body: { a: { x: 1 } } }],
    ["nothing but its status", { pick: [] }, { status: 200 }],
    [
      "all but what is dropped",
      {
        drop: [
          ["body", "items"],
          ["body", "*", "x"],
        ],
      },
      { status: 200, body: { a: { y: 2 } } },
    ],
    [
      "the items that are named, sorted",
      { named: { at: ["body", "items"], names: ["b", "a"] }, pick: [["body", "items"]] },
      { status: 200, body: { items: [{ name: "a" }, { name: "b" }] } },
    ],
  ])("keeps %s", (_what, trimming, kept) => {
    expect(trimmed(whole, trimming)).toEqual(kept);
  });

  it("differs at the paths where it differs, whatever the order of keys", () => {
    expect(differences({ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 })).toEqual([]);
    expect(differences({ a: 1, b: [1, { c: 2 }], d: [1] }, { a: 1, b: [1, { c: 3 }], d: [] })).toEqual([
      ".b[1].c: expected 2, got 3",
      ".d: expected [1], got []",
    ]);
    expect(differences({ a: 1 }, {})).toEqual([".a: expected 1, got nothing"]);
  });
});
