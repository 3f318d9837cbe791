import type { KubernetesObject } from "@fairlead/apimachinery";
import { resourceKind, type ResourceKind } from "../request/resource-kind.js";
import type { LoadBalancerStatus } from "./core.js";
import type { IntOrString, LabelSelector, ObjectReference, StringMap } from "./pod-spec.js";

export interface NetworkPolicyPeer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

export interface NetworkPolicyPort {
  readonly protocol?: string;
  readonly port?: IntOrString;
  readonly endPort?: number;
}

export interface NetworkPolicySpec {
  readonly podSelector?: LabelSelector;
  readonly ingress?: readonly {
    readonly ports?: readonly NetworkPolicyPort[];
    readonly from?: readonly NetworkPolicyPeer[];
  }[];
  readonly egress?: readonly {
    readonly ports?: readonly NetworkPolicyPort[];
    readonly to?: readonly NetworkPolicyPeer[];
  }[];
  readonly policyTypes?: readonly ("Ingress" | "Egress")[];
}

export interface NetworkPolicy extends KubernetesObject {
  readonly spec?: NetworkPolicySpec;
}
export const NetworkPolicy: ResourceKind<NetworkPolicy> = resourceKind({
  group: "networking.k8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  resource: "networkpolicies",
  namespaced: true,
});

export interface IngressBackend {
  readonly service?: { readonly name: string; readonly port?: { readonly name?: string; readonly number?: number } };
  readonly resource?: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
}

export interface IngressSpec {
  readonly ingressClassName?: string;
  readonly defaultBackend?: IngressBackend;
  readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName?: string }[];
  readonly rules?: readonly {
    readonly host?: string;
    readonly http?: {
      readonly paths: readonly {
        readonly path?: string;
        readonly pathType: string;
        readonly backend: IngressBackend;
      }[];
    };
  }[];
}

export interface Ingress extends KubernetesObject {
  readonly spec?: IngressSpec;
  readonly status?: { readonly loadBalancer?: LoadBalancerStatus };
}
export const Ingress: ResourceKind<Ingress> = resourceKind({
  group: "networking.k8s.io",
  version: "v1",
  kind: "Ingress",
  resource: "ingresses",
  namespaced: true,
});

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean };
  readonly hostname?: string;
  readonly targetRef?: ObjectReference;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly deprecatedTopology?: StringMap;
}

export interface EndpointPort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port?: number;
  readonly appProtocol?: string;
}

export interface EndpointSlice extends KubernetesObject {
  readonly addressType: "IPv4" | "IPv6" | "FQDN";
  readonly endpoints: readonly Endpoint[] | null;
  readonly ports?: readonly EndpointPort[] | null;
}
export const EndpointSlice: ResourceKind<EndpointSlice> = resourceKind({
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  resource: "endpointslices",
  namespaced: true,
});
