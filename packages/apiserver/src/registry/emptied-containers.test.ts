import { afterEach, expect, it } from "vitest";
import { bodyText, never, parseJson, seededRandom, silentLogger, VirtualClock, type JsonObject } from "@fairlead/base";

import { startApiServer, type ApiServer } from "../server.js";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

let server: ApiServer;
afterEach(() => server.close());

async function call(method: string, path: string, body: JsonObject): Promise<JsonObject> {
  const contentType = method === "PATCH" ? "application/apply-patch+yaml" : "application/json";
  const request = { method, path, headers: { "content-type": contentType }, body: JSON.stringify(body) };
  const response = await server.transport()(request, never);
  expect(response.status).toBeLessThan(300);
  return parseJson(await bodyText(response)) as JsonObject;
}

/** What is stored when a manager applies a map with one key that is its own, and then the map without it. */
async function afterRemoval(emptiedContainers: "empty" | "null" | undefined): Promise<unknown> {
  server = await startApiServer({
    clock: new VirtualClock(),
    random: seededRandom(1),
    logger: silentLogger,
    ...(emptiedContainers === undefined ? {} : { emptiedContainers }),
  });
  const map = { type: "object", nullable: true, additionalProperties: { type: "string" } };
  const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties: { map } } } };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema } };
  const names = { plural: "widgets", kind: "Widget" };
  await call("POST", CRDS, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.lab.dev" },
    spec: { group: "lab.dev", scope: "Namespaced", names, versions: [version] },
  });
  const apply = (spec: JsonObject): Promise<JsonObject> =>
    call("PATCH", "/apis/lab.dev/v1/namespaces/default/widgets/w?fieldManager=m", {
      apiVersion: "lab.dev/v1",
      kind: "Widget",
      metadata: { name: "w" },
      spec,
    });
  await apply({ map: { a: "1" } });
  return (await apply({ map: null }))["spec"];
}

it("leaves an emptied map as Kubernetes 1.36.2 does, or as releases before and after do", async () => {
  expect(await afterRemoval(undefined)).toEqual({ map: {} });
  await server.close();
  expect(await afterRemoval("empty")).toEqual({ map: {} });
  await server.close();
  expect(await afterRemoval("null")).toEqual({ map: null });
});
