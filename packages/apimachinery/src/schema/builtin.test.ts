import { expect, it } from "vitest";
import { builtinSchema, builtinSchemas, builtinTypeName } from "./builtin.js";

it("builds a type once", () => {
  expect(builtinSchema("core.v1.Pod")).toBe(builtinSchema("core.v1.Pod"));
});

it("builds a type that contains itself", () => {
  const props = builtinSchema("apiextensions.v1.JSONSchemaProps");
  expect(props.properties?.get("not")?.properties).toBe(props.properties);
});

it("refuses types that there are not", () => {
  expect(() => builtinSchema("core.v1.Nothing")).toThrow(RangeError);
  expect(builtinSchemas().find("constructor")).toBeUndefined();
});

it("knows the type of a kind", () => {
  expect(builtinTypeName({ group: "apps", version: "v1", kind: "Deployment" })).toBe("apps.v1.Deployment");
  expect(builtinTypeName({ group: "apps", version: "v1beta1", kind: "Deployment" })).toBeUndefined();
});

it("tells how lists and maps are merged", () => {
  const pod = builtinSchema("core.v1.PodSpec").properties;
  expect(pod?.get("containers")).toMatchObject({
    listType: "map",
    listMapKeys: ["name"],
    patchStrategy: ["merge"],
    patchMergeKey: "name",
  });
  expect(builtinSchema("core.v1.Container").properties?.get("ports")).toMatchObject({
    listType: "map",
    listMapKeys: ["containerPort", "protocol"],
  });
  expect(pod?.get("nodeSelector")?.mapType).toBe("atomic");
  expect(builtinSchema("meta.v1.LabelSelector").mapType).toBe("atomic");
});

it("has defaults where the API's documents have some", () => {
  expect(builtinSchema("core.v1.ContainerPort").properties?.get("protocol")?.default).toBe("TCP");
});
