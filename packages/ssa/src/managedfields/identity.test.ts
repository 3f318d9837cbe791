import { expect, it } from "vitest";

import { describeManager, formatIdentity, parseIdentity, type ManagerIdentity } from "./identity.js";

const identity = (more: Partial<ManagerIdentity> = {}): ManagerIdentity => ({
  manager: "hpa",
  operation: "Update",
  apiVersion: "apps/v1",
  subresource: "scale",
  ...more,
});

it.each<[ManagerIdentity, key: string, text: string]>([
  [
    identity(),
    '{"manager":"hpa","operation":"Update","apiVersion":"apps/v1","subresource":"scale"}',
    '"hpa" with subresource "scale" using apps/v1',
  ],
  [
    identity({ subresource: "" }),
    '{"manager":"hpa","operation":"Update","apiVersion":"apps/v1"}',
    '"hpa" using apps/v1',
  ],
  [
    identity({ operation: "Apply", apiVersion: "" }),
    '{"manager":"hpa","operation":"Apply","subresource":"scale"}',
    '"hpa" with subresource "scale"',
  ],
  [identity({ manager: "", subresource: "" }), '{"operation":"Update","apiVersion":"apps/v1"}', '"" using apps/v1'],
  [
    identity({ manager: 'a"<b', subresource: "", operation: "Apply", apiVersion: "" }),
    '{"manager":"a\\"\\u003cb","operation":"Apply"}',
    '"a\\"<b"',
  ],
])("%j is the manager %s", (given, key, text) => {
  expect(formatIdentity(given)).toBe(key);
  expect(parseIdentity(key)).toEqual(given);
  expect(describeManager(key)).toBe(text);
});

it("of an apply does not tell the version", () => {
  const applied = formatIdentity(identity({ operation: "Apply" }));
  expect(applied).toBe(formatIdentity(identity({ operation: "Apply", apiVersion: "apps/v2" })));
  expect(parseIdentity(applied).apiVersion).toBe("");
});
