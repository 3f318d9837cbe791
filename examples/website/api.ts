import { resourceKind, type Condition, type KubernetesObject, type ResourceKind } from "fairlead";

/** A web site: an image that is served by so many pods. */
export interface Website extends KubernetesObject {
  readonly spec: { readonly image: string; readonly replicas?: number };
  readonly status?: { readonly ready?: number; readonly conditions?: readonly Condition[] };
}

export const Website: ResourceKind<Website> = resourceKind<Website>({
  group: "examples.fairlead.dev",
  version: "v1",
  kind: "Website",
  resource: "websites",
  namespaced: true,
});

/** The CustomResourceDefinition that makes a server serve it. */
export const websiteDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "websites.examples.fairlead.dev" },
  spec: {
    group: "examples.fairlead.dev",
    scope: "Namespaced",
    names: { plural: "websites", singular: "website", kind: "Website" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["image"],
                properties: {
                  image: { type: "string", minLength: 1 },
                  replicas: { type: "integer", minimum: 0, default: 1 },
                },
              },
              status: {
                type: "object",
                properties: {
                  ready: { type: "integer" },
                  conditions: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                    items: {
                      type: "object",
                      required: ["type", "status"],
                      properties: {
                        type: { type: "string" },
                        status: { type: "string" },
                        reason: { type: "string" },
                        message: { type: "string" },
                        lastTransitionTime: { type: "string", format: "date-time" },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
} as const;
