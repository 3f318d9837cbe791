import type { Condition, KubernetesObject } from "@fairlead/apimachinery";
import { resourceKind, type ResourceKind } from "../request/resource-kind.js";
import type { LabelSelector, ObjectReference, PodTemplateSpec, TemplateMeta } from "./pod-spec.js";

export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly activeDeadlineSeconds?: number;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly selector?: LabelSelector;
  readonly manualSelector?: boolean;
  readonly template: PodTemplateSpec;
  readonly ttlSecondsAfterFinished?: number;
  readonly completionMode?: "NonIndexed" | "Indexed";
  readonly suspend?: boolean;
  readonly podReplacementPolicy?: string;
  readonly managedBy?: string;
}

export interface JobCondition extends Condition {
  readonly lastProbeTime?: string | null;
}

export interface JobStatus {
  readonly conditions?: readonly JobCondition[];
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
  readonly ready?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] };
}

export interface Job extends KubernetesObject {
  readonly spec?: JobSpec;
  readonly status?: JobStatus;
}
export const Job: ResourceKind<Job> = resourceKind({
  group: "batch",
  version: "v1",
  kind: "Job",
  resource: "jobs",
  namespaced: true,
});

export interface CronJob extends KubernetesObject {
  readonly spec?: {
    readonly schedule: string;
    readonly timeZone?: string;
    readonly startingDeadlineSeconds?: number;
    readonly concurrencyPolicy?: "Allow" | "Forbid" | "Replace";
    readonly suspend?: boolean;
    readonly jobTemplate: { readonly metadata?: TemplateMeta; readonly spec?: JobSpec };
    readonly successfulJobsHistoryLimit?: number;
    readonly failedJobsHistoryLimit?: number;
  };
  readonly status?: {
    readonly active?: readonly ObjectReference[];
    readonly lastScheduleTime?: string;
    readonly lastSuccessfulTime?: string;
  };
}
export const CronJob: ResourceKind<CronJob> = resourceKind({
  group: "batch",
  version: "v1",
  kind: "CronJob",
  resource: "cronjobs",
  namespaced: true,
});
