// Defaults of the types outside the core group (k/k: pkg/apis/*/v1/defaults.go).
import { getOwn, isObject, type JsonObject, type MutableJsonObject } from "@fairlead/base";
import { child, childIf, children, fill, fillZero, has, str } from "./access.js";
import type { TypeDefault } from "./type-defaults.js";

/** By the name of the type. */
export const GROUP_DEFAULTS: readonly (readonly [string, TypeDefault])[] = [
  ["apps.v1.Deployment", deployment],
  ["apps.v1.DaemonSet", daemonSet],
  ["apps.v1.StatefulSet", statefulSet],
  ["apps.v1.ReplicaSet", (value) => fill(child(value, "spec"), "replicas", 1)],
  ["batch.v1.Job", job],
  ["batch.v1.CronJob", cronJob],
  ["batch.v1.PodFailurePolicyOnPodConditionsPattern", (pattern) => fillZero(pattern, "status", "True")],
  ["autoscaling.v1.HorizontalPodAutoscaler", (value) => fill(child(value, "spec"), "minReplicas", 1)],
  ["autoscaling.v2.HorizontalPodAutoscaler", autoscaler],
  ["networking.v1.NetworkPolicyPort", (port) => fill(port, "protocol", "TCP")],
  ["networking.v1.NetworkPolicy", networkPolicy],
  ["networking.v1.IngressClass", ingressClass],
  ["rbac.v1.ClusterRoleBinding", (binding) => fillZero(child(binding, "roleRef"), "apiGroup", RBAC)],
  ["rbac.v1.RoleBinding", (binding) => fillZero(child(binding, "roleRef"), "apiGroup", RBAC)],
  ["rbac.v1.Subject", subject],
  ["discovery.v1.EndpointPort", endpointPort],
  ["storage.v1.StorageClass", storageClass],
  ["storage.v1.CSIDriver", csiDriver],
  ["scheduling.v1.PriorityClass", (value) => fill(value, "preemptionPolicy", "PreemptLowerPriority")],
  ["admissionregistration.v1.ValidatingWebhook", webhook],
  ["admissionregistration.v1.MutatingWebhook", mutatingWebhook],
  ["admissionregistration.v1.RuleWithOperations", (rule) => fill(rule, "scope", "*")],
  ["admissionregistration.v1.NamedRuleWithOperations", (rule) => fill(rule, "scope", "*")],
  ["admissionregistration.v1.ServiceReference", (reference) => fill(reference, "port", 443)],
  ["admissionregistration.v1.ValidatingAdmissionPolicySpec", (spec) => fill(spec, "failurePolicy", "Fail")],
  ["admissionregistration.v1.MatchResources", matchResources],
  ["apiextensions.v1.CustomResourceDefinition", customResourceDefinition],
  ["apiextensions.v1.ServiceReference", (reference) => fill(reference, "port", 443)],
  ["apiregistration.v1.ServiceReference", (reference) => fill(reference, "port", 443)],
  ["flowcontrol.v1.FlowSchemaSpec", (spec) => fillZero(spec, "matchingPrecedence", 1000)],
  ["flowcontrol.v1.ExemptPriorityLevelConfiguration", exemptLevel],
  ["flowcontrol.v1.LimitedPriorityLevelConfiguration", limitedLevel],
  ["flowcontrol.v1.QueuingConfiguration", queuing],
];

const RBAC = "rbac.authorization.k8s.io";

function deployment(value: MutableJsonObject): void {
  const spec = child(value, "spec");
  fill(spec, "replicas", 1);
  const strategy = child(spec, "strategy");
  fillZero(strategy, "type", "RollingUpdate");
  if (strategy["type"] === "RollingUpdate") {
    const rolling = child(strategy, "rollingUpdate");
    fill(rolling, "maxUnavailable", "25%");
    fill(rolling, "maxSurge", "25%");
  }
  fill(spec, "revisionHistoryLimit", 10);
  fill(spec, "progressDeadlineSeconds", 600);
}

/** The annotation mirrors a field of the internal type; creation and changes of the template count it up. */
export const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

function daemonSet(value: MutableJsonObject): void {
  const spec = child(value, "spec");
  const strategy = child(spec, "updateStrategy");
  fillZero(strategy, "type", "RollingUpdate");
  if (strategy["type"] === "RollingUpdate") {
    const rolling = child(strategy, "rollingUpdate");
    fill(rolling, "maxUnavailable", 1);
    fill(rolling, "maxSurge", 0);
  }
  fill(spec, "revisionHistoryLimit", 10);
  fill(child(child(value, "metadata"), "annotations"), TEMPLATE_GENERATION, "0");
}

function statefulSet(value: MutableJsonObject): void {
  const spec = child(value, "spec");
  fillZero(spec, "podManagementPolicy", "OrderedReady");
  const strategy = child(spec, "updateStrategy");
  if (str(strategy, "type") === "") {
    strategy["type"] = "RollingUpdate";
    fill(strategy, "rollingUpdate", {});
  }
  const rolling = childIf(strategy, "rollingUpdate");
  if (rolling !== undefined) delete rolling["maxUnavailable"];
  if (strategy["type"] === "RollingUpdate" && rolling !== undefined) fill(rolling, "partition", 0);
  const retention = child(spec, "persistentVolumeClaimRetentionPolicy");
  fillZero(retention, "whenDeleted", "Retain");
  fillZero(retention, "whenScaled", "Retain");
  fill(spec, "replicas", 1);
  fill(spec, "revisionHistoryLimit", 10);
  for (const claim of children(spec, "volumeClaimTemplates")) {
    claim["apiVersion"] = "v1";
    claim["kind"] = "PersistentVolumeClaim";
  }
}

function job(value: MutableJsonObject): void {
  const spec = child(value, "spec");
  if (!has(spec, "completions") && !has(spec, "parallelism")) spec["completions"] = 1;
  fill(spec, "parallelism", 1);
  fill(spec, "backoffLimit", has(spec, "backoffLimitPerIndex") ? 2147483647 : 6);
  const labels = childIf(childIf(child(spec, "template"), "metadata") ?? {}, "labels");
  if (labels !== undefined) fill(child(value, "metadata"), "labels", { ...labels });
  fill(spec, "completionMode", "NonIndexed");
  fill(spec, "suspend", false);
  fill(spec, "podReplacementPolicy", has(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  fill(spec, "manualSelector", false);
}

function cronJob(value: MutableJsonObject): void {
  const spec = child(value, "spec");
  fillZero(spec, "concurrencyPolicy", "Allow");
  fill(spec, "suspend", false);
  fill(spec, "successfulJobsHistoryLimit", 3);
  fill(spec, "failedJobsHistoryLimit", 1);
}

function autoscaler(value: MutableJsonObject): void {
  const spec = child(value, "spec");
  fill(spec, "minReplicas", 1);
  fill(spec, "metrics", [
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
  ]);
  const behavior = childIf(spec, "behavior");
  if (behavior === undefined) return;
  const percent = { type: "Percent", value: 100, periodSeconds: 15 };
  const up = {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, percent],
  };
  behavior["scaleUp"] = { ...up, ...given(behavior, "scaleUp") };
  behavior["scaleDown"] = { selectPolicy: "Max", policies: [percent], ...given(behavior, "scaleDown") };
}

function given(object: JsonObject, key: string): JsonObject {
  const value = getOwn(object, key);
  return isObject(value) ? value : {};
}

function networkPolicy(value: MutableJsonObject): void {
  const spec = child(value, "spec");
  fill(spec, "policyTypes", children(spec, "egress").length > 0 ? ["Ingress", "Egress"] : ["Ingress"]);
}

function ingressClass(value: MutableJsonObject): void {
  const parameters = childIf(child(value, "spec"), "parameters");
  if (parameters !== undefined) fill(parameters, "scope", "Cluster");
}

function subject(value: MutableJsonObject): void {
  if (str(value, "kind") === "User" || str(value, "kind") === "Group") fillZero(value, "apiGroup", RBAC);
}

function endpointPort(port: MutableJsonObject): void {
  fill(port, "name", "");
  fill(port, "protocol", "TCP");
}

function storageClass(value: MutableJsonObject): void {
  fill(value, "reclaimPolicy", "Delete");
  fill(value, "volumeBindingMode", "Immediate");
}

function csiDriver(value: MutableJsonObject): void {
  const spec = child(value, "spec");
  fill(spec, "attachRequired", true);
  fill(spec, "podInfoOnMount", false);
  fill(spec, "storageCapacity", false);
  fill(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
  fill(spec, "volumeLifecycleModes", ["Persistent"]);
  fill(spec, "requiresRepublish", false);
  fill(spec, "seLinuxMount", false);
}

function webhook(value: MutableJsonObject): void {
  fill(value, "failurePolicy", "Fail");
  fill(value, "timeoutSeconds", 10);
  matchResources(value);
}

function mutatingWebhook(value: MutableJsonObject): void {
  webhook(value);
  fill(value, "reinvocationPolicy", "Never");
}

function matchResources(value: MutableJsonObject): void {
  fill(value, "matchPolicy", "Equivalent");
  fill(value, "namespaceSelector", {});
  fill(value, "objectSelector", {});
}

function customResourceDefinition(value: MutableJsonObject): void {
  const spec = child(value, "spec");
  const names = child(spec, "names");
  const kind = str(names, "kind");
  if (kind !== "") {
    fillZero(names, "singular", kind.toLowerCase());
    fillZero(names, "listKind", `${kind}List`);
  }
  fill(spec, "conversion", { strategy: "None" });
  const stored = children(spec, "versions").find((version) => version["storage"] === true);
  if (stored !== undefined) fill(child(value, "status"), "storedVersions", [str(stored, "name")]);
}

function exemptLevel(value: MutableJsonObject): void {
  fill(value, "nominalConcurrencyShares", 0);
  fill(value, "lendablePercent", 0);
}

function limitedLevel(value: MutableJsonObject): void {
  fill(value, "nominalConcurrencyShares", 30);
  fill(value, "lendablePercent", 0);
}

function queuing(value: MutableJsonObject): void {
  fillZero(value, "handSize", 8);
  fillZero(value, "queues", 64);
  fillZero(value, "queueLengthLimit", 50);
}
