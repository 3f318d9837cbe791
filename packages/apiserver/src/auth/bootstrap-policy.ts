import type { JsonObject } from "@fairlead/base";

const GROUP = "rbac.authorization.k8s.io";
const READ = ["get", "list", "watch"];
const WRITE = ["create", "delete", "deletecollection", "patch", "update"];
const PUBLIC_PATHS = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
const DISCOVERY_PATHS = [
  "/.well-known",
  "/.well-known/*",
  "/api",
  "/api/*",
  "/apis",
  "/apis/*",
  "/healthz",
  "/livez",
  "/openapi",
  "/openapi/*",
  "/readyz",
  "/version",
  "/version/",
];
const NAMESPACED: readonly (readonly [group: string, resources: readonly string[]])[] = [
  [
    "",
    [
      "configmaps",
      "endpoints",
      "events",
      "persistentvolumeclaims",
      "pods",
      "pods/eviction",
      "pods/log",
      "pods/status",
      "services",
      "services/status",
      "serviceaccounts",
    ],
  ],
  [
    "apps",
    [
      "daemonsets",
      "deployments",
      "deployments/scale",
      "replicasets",
      "replicasets/scale",
      "statefulsets",
      "statefulsets/scale",
    ],
  ],
  ["autoscaling", ["horizontalpodautoscalers"]],
  ["batch", ["cronjobs", "jobs"]],
  ["discovery.k8s.io", ["endpointslices"]],
  ["networking.k8s.io", ["ingresses", "networkpolicies"]],
  ["policy", ["poddisruptionbudgets"]],
  ["coordination.k8s.io", ["leases"]],
];

interface Role {
  readonly name: string;
  readonly rules: readonly JsonObject[];
  /** The groups that have it from the start. */
  readonly groups: readonly string[];
}

/** The roles that every cluster has, with what an embedded server serves of them. */
const ROLES: readonly Role[] = [
  {
    name: "cluster-admin",
    groups: ["system:masters"],
    rules: [
      { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
      { nonResourceURLs: ["*"], verbs: ["*"] },
    ],
  },
  {
    name: "system:discovery",
    groups: ["system:authenticated"],
    rules: [{ nonResourceURLs: DISCOVERY_PATHS, verbs: ["get"] }],
  },
  {
    name: "system:public-info-viewer",
    groups: ["system:authenticated", "system:unauthenticated"],
    rules: [{ nonResourceURLs: PUBLIC_PATHS, verbs: ["get"] }],
  },
  {
    name: "system:basic-user",
    groups: ["system:authenticated"],
    rules: [
      {
        apiGroups: ["authorization.k8s.io"],
        resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        verbs: ["create"],
      },
      { apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"], verbs: ["create"] },
    ],
  },
  {
    name: "system:service-account-issuer-discovery",
    groups: ["system:serviceaccounts"],
    rules: [
      {
        nonResourceURLs: [
          "/.well-known/openid-configuration",
          "/.well-known/openid-configuration/",
          "/openid/v1/jwks",
          "/openid/v1/jwks/",
        ],
        verbs: ["get"],
      },
    ],
  },
  {
    name: "view",
    groups: [],
    rules: NAMESPACED.map(([group, resources]) => ({ apiGroups: [group], resources, verbs: READ })),
  },
  { name: "edit", groups: [], rules: editRules() },
  {
    name: "admin",
    groups: [],
    rules: [
      ...editRules(),
      { apiGroups: [GROUP], resources: ["rolebindings", "roles"], verbs: [...WRITE, ...READ] },
      { apiGroups: ["authorization.k8s.io"], resources: ["localsubjectaccessreviews"], verbs: ["create"] },
    ],
  },
];

function editRules(): readonly JsonObject[] {
  const all = NAMESPACED.map(([group, resources]) => ({ apiGroups: [group], resources, verbs: [...WRITE, ...READ] }));
  return [
    ...all,
    { apiGroups: [""], resources: ["secrets"], verbs: [...WRITE, ...READ] },
    { apiGroups: [""], resources: ["serviceaccounts/token"], verbs: ["create"] },
  ];
}

/** The roles for users name the label by which others add to them; here they hold their rules from the start. */
function aggregation(name: string): JsonObject {
  if (!["admin", "edit", "view"].includes(name)) return {};
  const matchLabels = { [`${GROUP}/aggregate-to-${name}`]: "true" };
  return { aggregationRule: { clusterRoleSelectors: [{ matchLabels }] } };
}

/** An object of the bootstrap policy, without its system metadata. */
export interface PolicyObject {
  readonly collection: string;
  readonly name: string;
  readonly object: JsonObject;
}

/** The ClusterRoles and ClusterRoleBindings that are there before anybody writes. */
export function bootstrapPolicy(now: string): readonly PolicyObject[] {
  return ROLES.flatMap(({ name, rules, groups }) => {
    const metadata = {
      name,
      creationTimestamp: now,
      labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
      annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
    };
    const apiVersion = `${GROUP}/v1`;
    const role = {
      collection: `${GROUP}/clusterroles`,
      name,
      object: { apiVersion, kind: "ClusterRole", metadata, ...aggregation(name), rules },
    };
    if (groups.length === 0) return [role];
    const subjects = groups.map((group) => ({ apiGroup: GROUP, kind: "Group", name: group }));
    const roleRef = { apiGroup: GROUP, kind: "ClusterRole", name };
    return [
      role,
      {
        collection: `${GROUP}/clusterrolebindings`,
        name,
        object: { apiVersion, kind: "ClusterRoleBinding", metadata, roleRef, subjects },
      },
    ];
  });
}
