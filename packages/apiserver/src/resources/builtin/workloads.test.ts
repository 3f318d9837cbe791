import { describe, expect, it } from "vitest";
import type { JsonObject } from "@fairlead/base";
import { createErrors, prepared, strategyOf, updateErrors, withPart, workload } from "./builtin.fixtures.js";

const job = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "j", namespace: "n", uid: "u" },
  spec: { template: { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" } }, ...spec },
});
const cron = (spec: JsonObject): JsonObject => ({
  metadata: { name: "c", namespace: "n" },
  spec: { schedule: "*/5 * * * *", jobTemplate: { spec: job()["spec"] as JsonObject }, ...spec },
});

describe("a new workload", () => {
  it.each<[sentence: string, name: string, object: JsonObject, ...errors: readonly (string | RegExp)[]]>([
    ["a Deployment as small as this", "apps/v1/Deployment", workload("Deployment")],
    [
      "a selector that does not select the template",
      "apps/v1/Deployment",
      workload("Deployment", { selector: { matchLabels: { app: "b" } } }),
      /^spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`$/,
    ],
    [
      "no selector",
      "apps/v1/Deployment",
      workload("Deployment", { selector: null }),
      /^spec.selector: Required value/,
      /^spec.template.metadata.labels: Invalid value/,
    ],
    [
      "an update that may not make any progress",
      "apps/v1/Deployment",
      workload("Deployment", { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
    ],
    [
      "a strategy and the settings of another",
      "apps/v1/Deployment",
      workload("Deployment", { strategy: { type: "Recreate", rollingUpdate: {} } }),
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
    [
      "fewer replicas than none",
      "apps/v1/ReplicaSet",
      workload("ReplicaSet", { replicas: -1 }),
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
    ],
    [
      "a StatefulSet whose pods end",
      "apps/v1/StatefulSet",
      withPart(workload("StatefulSet"), { spec: { template: { spec: { restartPolicy: "Never" } } } }),
      /restartPolicy: Unsupported value: "Never"/,
    ],
    [
      "a Job of pods that never end",
      "batch/v1/Job",
      withPart(job(), { spec: { template: { spec: { restartPolicy: "Always" } } } }),
      /spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"/,
    ],
    [
      "a schedule of six fields",
      "batch/v1/CronJob",
      cron({ schedule: "* * * * * *" }),
      /^spec.schedule: Invalid value: "\* \* \* \* \* \*": expected exactly 5 fields, found 6/,
    ],
    [
      "a time zone that there is not",
      "batch/v1/CronJob",
      cron({ timeZone: "Mars/Base" }),
      /^spec.timeZone: Invalid value: "Mars\/Base": unknown time zone Mars\/Base/,
    ],
  ])("%s", (_sentence, name, object, ...errors) => {
    const found = createErrors(name, object);
    for (const [i, error] of errors.entries()) expect(found[i]).toMatch(error);
    expect(found).toHaveLength(errors.length);
  });
});

describe("a change of a workload", () => {
  const other = { matchLabels: { app: "b" } };
  const template = { metadata: { labels: { app: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  it.each<
    [sentence: string, name: string, before: JsonObject, after: JsonObject, ...errors: readonly (string | RegExp)[]]
  >([
    ["replicas of a Deployment", "apps/v1/Deployment", workload("Deployment"), workload("Deployment", { replicas: 3 })],
    [
      "the selector of a Deployment",
      "apps/v1/Deployment",
      workload("Deployment"),
      workload("Deployment", { selector: other, template }),
      /^spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable$/,
    ],
    [
      "the template of a StatefulSet",
      "apps/v1/StatefulSet",
      workload("StatefulSet"),
      withPart(workload("StatefulSet"), { spec: { template: { spec: { hostNetwork: true } } } }),
    ],
    [
      "the service of a StatefulSet",
      "apps/v1/StatefulSet",
      workload("StatefulSet"),
      workload("StatefulSet", { serviceName: "s" }),
      /^spec: Forbidden: updates to statefulset spec for fields other than/,
    ],
    ["the parallelism of a Job", "batch/v1/Job", job(), { spec: { parallelism: 2 } }],
    [
      "the completions of a Job",
      "batch/v1/Job",
      job(),
      { spec: { completions: 2 } },
      /^spec.completions: Invalid value: 2: field is immutable$/,
    ],
  ])("%s", (_sentence, name, before, after, ...errors) => {
    const found = updateErrors(name, before, after);
    for (const [i, error] of errors.entries()) expect(found[i]).toMatch(error);
    expect(found).toHaveLength(errors.length);
  });
});

it("gives a Job a selector and labels of its own", () => {
  const made = prepared("batch/v1/Job", job());
  const labels = {
    "batch.kubernetes.io/controller-uid": "u",
    "batch.kubernetes.io/job-name": "j",
    "controller-uid": "u",
    "job-name": "j",
  };
  expect(made["spec"]).toMatchObject({
    selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "u" } },
    template: { metadata: { labels } },
  });
});

it.each<[name: string, status: JsonObject, cells: readonly unknown[]]>([
  ["apps/v1/Deployment", { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 }, ["w", "1/3", 2, 1]],
  ["apps/v1/ReplicaSet", { replicas: 2, readyReplicas: 1 }, ["w", 3, 2, 1]],
  ["apps/v1/StatefulSet", { readyReplicas: 1 }, ["w", "1/3"]],
])("%s in a table", (name, status, cells) => {
  const object = { ...prepared(name, workload("", { replicas: 3 })), status };
  expect(strategyOf(name).cells(object, { nowMs: 0 }).slice(0, cells.length)).toEqual(cells);
});
