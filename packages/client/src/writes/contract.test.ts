import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "@fairlead/apimachinery";
import { kinds, owns, ownedPaths, ownsStatus, resourceKind, wholeObject, type ApplyConfig } from "../index.js";

const web = owns(
  kinds.Deployment,
  "metadata.labels",
  'metadata.annotations["example.com/revision"]',
  "spec.replicas",
  "spec.template.spec.containers[].image",
  "spec.template.spec.containers[].ports",
);
const ref = { namespace: "default", name: "web" };

interface Widget extends KubernetesObject {
  readonly spec: {
    readonly size: number;
    readonly parts?: readonly { readonly id: string; readonly weight: number }[];
  };
  readonly status?: { readonly claims?: Readonly<Record<string, string>> };
}
const Widget = resourceKind<Widget>({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  resource: "widgets",
  namespaced: true,
});
const Dynamic = resourceKind({
  group: "example.com",
  version: "v1",
  kind: "Gadget",
  resource: "gadgets",
  namespaced: false,
});

describe("the compiler", () => {
  it("takes declared fields, and refuses all others", () => {
    const body: Parameters<typeof checkWeb>[0] = {
      metadata: { labels: { app: "web" }, annotations: { "example.com/revision": "1" } },
      spec: {
        replicas: 2,
        template: { spec: { containers: [{ name: "app", image: "nginx", ports: [{ containerPort: 80 }] }] } },
      },
    };
    checkWeb(body);
    expect(() => {
      // @ts-expect-error not declared
      checkWeb({ spec: { paused: true } });
    }).toThrow("spec.paused");
    expect(() => {
      // @ts-expect-error not declared, deep inside
      checkWeb({ spec: { template: { spec: { containers: [{ name: "app", command: ["sh"] }] } } } });
    }).toThrow("spec.template.spec.containers[0].command");
    expect(() => {
      // @ts-expect-error null is no value of a body
      checkWeb({ spec: { replicas: null } });
    }).toThrow("spec.replicas");
    expect(() => {
      // @ts-expect-error a status is not applied
      checkWeb({ status: { replicas: 1 } });
    }).toThrow("status");
  });

  it("takes a value whose type is a part of the kind", () => {
    const config: ApplyConfig<kinds.Deployment> = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: { replicas: 1 },
    };
    expect(ownedPaths(web, ref, config).body).toEqual({ ...config, metadata: ref });
  });

  it("refuses paths that the kind does not have", () => {
    // @ts-expect-error no such field
    owns(kinds.Deployment, "spec.replcas");
    // @ts-expect-error containers is a list
    owns(kinds.Deployment, "spec.template.spec.containers.image");
    // @ts-expect-error not a list
    owns(kinds.Deployment, "spec.template[].spec");
    // @ts-expect-error no such field of the items
    owns(Widget, "spec.parts[id].height");
    // @ts-expect-error the status is not a part of this contract
    expect(() => owns(kinds.Deployment, "status.replicas")).toThrow("mergeStatus");
    // @ts-expect-error the server sets it
    expect(() => owns(kinds.Deployment, "metadata.uid")).toThrow("metadata");
    // @ts-expect-error not in status
    expect(() => ownsStatus(Widget, "spec.size")).toThrow("status");
  });

  it("takes any path of a kind without a type", () => {
    const gadget = owns(Dynamic, "spec.anything.at[key].all", "metadata.labels", "data");
    const body = ownedPaths(
      gadget,
      { name: "g" },
      { spec: { anything: { at: [{ key: "a", all: 1 }] } }, data: { x: "y" } },
    ).body;
    expect(body).toEqual({
      apiVersion: "example.com/v1",
      kind: "Gadget",
      metadata: { name: "g" },
      spec: { anything: { at: [{ key: "a", all: 1 }] } },
      data: { x: "y" },
    });
    // @ts-expect-error identity is not owned
    expect(() => owns(Dynamic, "metadata.name")).toThrow("metadata");
  });
});

function checkWeb(
  body: Parameters<
    typeof ownedPaths<kinds.Deployment, NonNullable<Parameters<NonNullable<(typeof web)["~body"]>>[0]>>
  >[2],
): void {
  ownedPaths(web, ref, body);
}

describe("the check before sending", () => {
  const claims = ownsStatus(Widget, "status.claims");
  const parts = owns(Widget, "spec.parts[id].weight");

  it.each<[sentence: string, send: () => unknown, error: string]>([
    [
      "names the path that is not declared",
      () => ownedPaths(web, ref, { spec: { paused: true } } as never),
      "spec.paused is not declared",
    ],
    [
      "refuses an empty object above declared fields",
      () => ownedPaths(web, ref, { spec: { template: {} } }),
      "spec.template is empty",
    ],
    [
      "refuses an empty list of items",
      () => ownedPaths(web, ref, { spec: { template: { spec: { containers: [] } } } }),
      "containers is empty",
    ],
    [
      "refuses an item without its key",
      () => ownedPaths(web, ref, { spec: { template: { spec: { containers: [{ image: "a" }] } } } }),
      "containers[0] gives none of its keys",
    ],
    [
      "refuses undefined",
      () => ownedPaths(web, ref, { spec: { replicas: undefined } } as never),
      "spec.replicas is undefined",
    ],
    ["refuses NaN", () => ownedPaths(web, ref, { spec: { replicas: Number.NaN } }), "spec.replicas is NaN"],
    [
      "refuses a function",
      () => ownedPaths(web, ref, { spec: { replicas: () => 1 } } as never),
      "spec.replicas is a function",
    ],
    [
      "refuses a class instance",
      () => ownedPaths(web, ref, { metadata: { labels: new Map() } } as never),
      "metadata.labels is a Map",
    ],
    [
      "refuses null and names the way to clear",
      () => ownedPaths(web, ref, { spec: { replicas: null } } as never),
      "name it in `clear`",
    ],
    ["refuses another object's name", () => ownedPaths(web, ref, { metadata: { name: "other" } }), "metadata.name"],
    ["refuses another kind", () => ownedPaths(web, ref, { kind: "Pod" }), "kind"],
    [
      "refuses to clear what is not declared",
      () => ownedPaths(web, ref, {}, { clear: ["spec.paused"] }),
      "spec.paused",
    ],
    [
      "refuses a key of annotations that is not declared",
      () => ownedPaths(web, ref, { metadata: { annotations: { other: "1" } } } as never),
      "metadata.annotations.other",
    ],
    [
      "refuses fields of items in a list that is not declared by items",
      () => ownedPaths(owns(Widget, "spec.size"), ref, { spec: { parts: [] } } as never),
      "spec.parts",
    ],
  ])("%s", (_sentence, send, error) => {
    expect(send).toThrow(error);
  });

  it("fills in identity", () => {
    expect(ownedPaths(web, ref, { spec: { replicas: 2 } }).body).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: ref,
      spec: { replicas: 2 },
    });
    expect(ownedPaths(parts, ref, { spec: { parts: [{ id: "a", weight: 2 }] } }).kind).toBe(Widget);
  });

  it("takes status paths with a contract on the status", () => {
    expect(ownedPaths(claims, ref, { status: { claims: { a: "b" } } })).toMatchObject({
      subresource: "status",
      body: { status: { claims: { a: "b" } } },
    });
  });

  it("puts null where a path is cleared", () => {
    expect(ownedPaths(owns(Widget, "spec.parts"), ref, {}, { clear: ["spec.parts"] }).body).toMatchObject({
      spec: { parts: null },
    });
  });

  it("owns whatever a manifest names, but status, nulls and server-set metadata", () => {
    const manifest = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", creationTimestamp: null, uid: "1", labels: { a: "b" } },
      spec: { replicas: 1, strategy: null },
      status: {},
    };
    expect(ownedPaths(wholeObject(kinds.Deployment), ref, manifest).body).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { ...ref, labels: { a: "b" } },
      spec: { replicas: 1 },
    });
  });
});
