import { describe, expect, it } from "vitest";
import {
  collectionPath,
  deleteCollectionRequest,
  deleteRequest,
  kinds,
  listRequest,
  objectPath,
  postRequest,
  resourceKind,
  subresourcePath,
  watchRequest,
} from "../index.js";

const Widget = resourceKind({
  group: "example.com",
  version: "v1beta1",
  kind: "Widget",
  resource: "widgets",
  namespaced: true,
});

describe("paths", () => {
  it.each<[made: () => string, path: string]>([
    [() => collectionPath(kinds.Pod, undefined), "/api/v1/pods"],
    [() => collectionPath(kinds.Pod, "a"), "/api/v1/namespaces/a/pods"],
    [() => collectionPath(kinds.Node, "ignored"), "/api/v1/nodes"],
    [() => collectionPath(Widget, "a"), "/apis/example.com/v1beta1/namespaces/a/widgets"],
    [() => objectPath(kinds.Namespace, undefined, "a"), "/api/v1/namespaces/a"],
    [
      () => objectPath(kinds.ClusterRole, undefined, "system:node"),
      "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
    ],
    [
      () => subresourcePath(objectPath(kinds.Deployment, "a", "b"), "scale"),
      "/apis/apps/v1/namespaces/a/deployments/b/scale",
    ],
  ])("%#: %s", (made, path) => {
    expect(made()).toBe(path);
  });

  it.each<[made: () => string, error: string]>([
    [() => objectPath(kinds.Pod, "a", ""), "A non-empty name is required"],
    [() => objectPath(kinds.Pod, "a", ".."), "is no name"],
    [() => objectPath(kinds.Pod, "a", "x/../y"), "is no name"],
    [() => objectPath(kinds.Pod, "a", "x%2fy"), "is no name"],
    [() => objectPath(kinds.Pod, undefined, "x"), "Pod x is namespaced"],
    [() => objectPath(kinds.Pod, "a/b", "x"), "is no namespace"],
  ])("refuses what would lead elsewhere (%#)", (made, error) => {
    expect(made).toThrow(error);
  });
});

describe("requests", () => {
  it("asks for what is given, and for nothing else", () => {
    expect(listRequest("/api/v1/pods", {}).path).toBe("/api/v1/pods");
    expect(listRequest("/api/v1/pods", { limit: 10, labelSelector: "a=b,c in (d)", resourceVersion: "0" }).path).toBe(
      "/api/v1/pods?labelSelector=a%3Db%2Cc%20in%20(d)&limit=10&resourceVersion=0",
    );
  });

  it("watches with bookmarks", () => {
    expect(watchRequest("/api/v1/pods", { resourceVersion: "5", timeoutSeconds: 300 }).path).toBe(
      "/api/v1/pods?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=300",
    );
    expect(watchRequest("/api/v1/pods", { sendInitialEvents: true, bookmarks: "ask" }).path).toBe(
      "/api/v1/pods?watch=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&allowWatchBookmarks=true",
    );
  });

  it("says in the body of a deletion what is to be deleted and how", () => {
    expect(deleteRequest("/x", {})).toEqual({ method: "DELETE", path: "/x", headers: { accept: "application/json" } });
    const { body } = deleteRequest("/x", {
      propagation: "foreground",
      gracePeriodSeconds: 0,
      preconditions: { uid: "u" as never },
    });
    expect(JSON.parse(String(body))).toEqual({
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      preconditions: { uid: "u" },
    });
    expect(deleteCollectionRequest("/x", { labelSelector: "a" }, {}).path).toBe("/x?labelSelector=a");
  });

  it("keeps what JSON would lose", () => {
    expect(postRequest("/x", { n: 2n ** 60n, ["__proto__"]: 1 }, {}).body).toBe(
      '{"__proto__":1,"n":1152921504606846976}',
    );
  });
});
