import { startApiServer, type ApiServer } from "@fairlead/apiserver";
import { seededRandom, silentLogger, VirtualClock } from "@fairlead/base";
import { afterAll, beforeAll, expect, it } from "vitest";

import { Discovery, kinds, owns, type ResourceKind } from "../index.js";

/** The generated descriptors and types, against what a server says of itself. */

// The embedded server has no dynamic resource allocation (docs/differences.md).
const { autoscalingV1, eventsV1, flowcontrolV1, resourceV1: _resourceV1, ...bare } = kinds;
const namespaces = { "": bare, autoscalingV1, eventsV1, flowcontrolV1 };
const descriptors = Object.entries(namespaces).flatMap(([prefix, namespace]) =>
  Object.entries(namespace).map(([name, kind]) => [prefix === "" ? name : `${prefix}.${name}`, kind] as const),
);

let server: ApiServer;
let discovery: Discovery;
beforeAll(async () => {
  const clock = new VirtualClock();
  server = await startApiServer({ clock, random: seededRandom(1), logger: silentLogger });
  discovery = new Discovery(server.transport());
});
afterAll(() => server.close());

it("has a descriptor for every kind that can be listed or posted", () => {
  expect(descriptors.length).toBeGreaterThan(60);
});

it.each<readonly [string, ResourceKind]>(descriptors)("%s is served where its descriptor says", async (_name, kind) => {
  const { resource, namespaced } = await discovery.get(kind);
  expect({ resource, namespaced }).toEqual({ resource: kind.resource, namespaced: kind.namespaced });
});

it("knows the fields that controllers seldom use, and refuses what is none", () => {
  owns(kinds.Job, "spec.podFailurePolicy.rules", "spec.maxFailedIndexes", "spec.template.spec.resourceClaims");
  owns(kinds.Pod, "spec.containers[name].resizePolicy");
  // @ts-expect-error -- a Job has no such field
  expect(() => owns(kinds.Job, "spec.podFailurePolicies")).not.toThrow();
});
