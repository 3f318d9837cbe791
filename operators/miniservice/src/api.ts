import type { Condition, KubernetesObject, ObjectMeta } from "@fairlead/apimachinery";
import { resourceKind, type kinds, type ResourceKind } from "@fairlead/client";

/**
 * MiniService and its parent, the ICMSRequest: their kinds, their fields as the wire has them, and the names, labels and
 * annotations that both sides rely on. Fields that are not listed here are kept on the server and never sent.
 */

export const GROUP = "nvca.nvcf.nvidia.io";
export const FIELD_MANAGER = "miniservice-controller";
export const FINALIZER: string = `${GROUP}/miniservice-finalizer`;

/** On every object that belongs to a MiniService; leads events back to it. */
export const NAME_LABEL: string = `${GROUP}/miniservice-name`;
export const REVISION_LABEL: string = `${GROUP}/revision`;
export const INSTANCE_TYPE_LABEL: string = `${GROUP}/workload-instance-type`;
/** On objects that the operator itself adds beside the chart's. */
export const INFRA_ANNOTATION: string = `${GROUP}/nvca-infra-object`;
export const MANAGED_BY_LABEL = "app.kubernetes.io/managed-by";

/** Helm's release name is always this one. */
export const RELEASE_NAME = "mini-service";
export const WORKER_POD = "utils";
export const WORKER_CONTAINERS: readonly string[] = ["utils", "llm-worker"];
export const CONTROL_CONFIG_MAP = "nvcf-workload-config";
export const CONTROL_KEY = "config.yaml";
export const METADATA_CONFIG_MAP = "nvcf-miniservice-metadata";
export const INSTANCE_ACCOUNT = "miniservice-instance-permissions";
/** Where requests live unless configured otherwise. */
export const REQUESTS_NAMESPACE = "nvcf-backend";

/** The one flag of a workload's configuration that is known. */
export const STATUS_BY_WORKER_READINESS = "StatusByWorkerReadiness";

export interface WorkloadConfig {
  readonly featureFlags?: Readonly<Record<string, boolean>>;
}

export interface RegistryAuth {
  readonly auths: Readonly<Record<string, { readonly auth: string }>>;
}

export interface HelmChartConfig {
  /** `https://….tgz`, `oci://…`, or (where the operator allows it) `file://…`. */
  readonly url?: string;
  readonly serviceName?: string;
  readonly servicePort?: number | null;
  /** Helm values: any JSON object. */
  readonly values?: unknown;
  readonly authConfig?: { readonly k8sSecrets?: readonly RegistryAuth[] | null };
}

export interface MiniServiceSpec {
  readonly namespace?: string;
  readonly icmsRequestName?: string;
  /** Legacy name of `icmsRequestName`; read, never written. */
  readonly spotRequestName?: string;
  readonly helmChartConfig?: HelmChartConfig;
  readonly workloadConfig?: WorkloadConfig | null;
}

export type Phase =
  | ""
  | "CachingInProgress"
  | "Installing"
  | "Installed"
  | "Starting"
  | "Running"
  | "Completed"
  | "InstallFailed"
  | "Failed";

export interface RenderedResource {
  /** `apps/v1, Kind=Deployment`; `/v1, Kind=ConfigMap`. */
  readonly gvk: string;
  readonly count: number;
}

export interface MiniServiceStatus {
  readonly phase?: Phase;
  readonly lastPhaseTransitionTime?: string;
  readonly renderedDetails?: { readonly hash?: string; readonly resources?: readonly RenderedResource[] } | null;
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
  /** 0 is the first install; one more for each change of the chart's inputs. */
  readonly revision?: number;
  /** The newest revision whose objects are all applied; absent before the first. */
  readonly installedRevision?: number;
  /** Digest of the chart's inputs that the newest attempt was made with, successful or not. */
  readonly attemptedDigest?: string;
  /** The same of the installed revision. */
  readonly installedDigest?: string;
  /** When terminal failures of objects were first seen in a row; absent while there are none. */
  readonly firstFailureTime?: string | null;
  readonly deletion?: { readonly stage: string; readonly remaining: number } | null;
}

export interface MiniService extends KubernetesObject {
  readonly spec: MiniServiceSpec;
  readonly status?: MiniServiceStatus;
}

export const MiniService: ResourceKind<MiniService> = resourceKind({
  group: GROUP,
  version: "v1alpha1",
  kind: "MiniService",
  resource: "miniservices",
  namespaced: false,
});

export type RequestAction = "RequestICMSInstances" | "RequestICMSInstancesForTask" | "TerminateInstances";

export interface LaunchSpecification {
  readonly helmChart?: string;
  /** Base64 of the values document. */
  readonly configuration?: string;
  /** Base64 of `KEY=VALUE` lines. */
  readonly environment?: string;
}

export interface IcmsRequestSpec {
  readonly requestId?: string;
  readonly messageBatchId?: string;
  readonly ncaId?: string;
  readonly action?: string;
  readonly functionDetails?: {
    readonly functionId?: string;
    readonly functionVersionId?: string;
    readonly functionType?: string;
  };
  readonly taskDetails?: { readonly taskId?: string; readonly taskType?: string };
  readonly functionId?: string;
  readonly functionVersionId?: string;
  readonly creationMsgInfo?: {
    readonly instanceCount?: number;
    readonly instanceTypeName?: string;
    readonly instanceTypeValue?: string;
    readonly gpuType?: string;
    readonly gpuName?: string;
    readonly clusterGroup?: string;
    readonly functionLaunchSpecification?: LaunchSpecification;
    readonly taskLaunchSpecification?: LaunchSpecification & { readonly maxQueuedDuration?: string };
  };
}

export interface InstanceReport {
  readonly id: string;
  readonly status?: string;
  readonly lastReportedStatus?: string;
  readonly lastReportedTimestamp?: string;
}

export interface IcmsRequest extends KubernetesObject {
  readonly spec: IcmsRequestSpec;
  readonly status?: {
    readonly requestStatus?: string;
    readonly instances?: Readonly<Record<string, InstanceReport>>;
    readonly functionState?: string;
    readonly lastStatusUpdated?: string;
  };
}

export const IcmsRequest: ResourceKind<IcmsRequest> = resourceKind({
  group: GROUP,
  version: "v2beta1",
  kind: "ICMSRequest",
  resource: "icmsrequests",
  namespaced: true,
});

type Definition = Omit<kinds.CustomResourceDefinition, "metadata"> & { readonly metadata: Pick<ObjectMeta, "name"> };

const OPEN = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;
const AGE = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" } as const;

/** Spec and status are open objects: what other programs write there is kept. */
export const miniServiceDefinition: Definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `miniservices.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Cluster",
    names: { plural: "miniservices", singular: "miniservice", kind: "MiniService", listKind: "MiniServiceList" },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          AGE,
          { name: "Phase", type: "string", jsonPath: ".status.phase" },
          { name: "Namespace", type: "string", jsonPath: ".spec.namespace" },
          { name: "Healthy", type: "string", jsonPath: '.status.conditions[?(@.type=="ObjectsHealthy")].status' },
          {
            name: "Reason",
            type: "string",
            jsonPath: '.status.conditions[?(@.type=="ObjectsHealthy")].reason',
            priority: 1,
          },
        ],
        schema: { openAPIV3Schema: { type: "object", required: ["spec"], properties: { spec: OPEN, status: OPEN } } },
      },
    ],
  },
};

export const icmsRequestDefinition: Definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `icmsrequests.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: {
      plural: "icmsrequests",
      singular: "icmsrequest",
      kind: "ICMSRequest",
      listKind: "ICMSRequestList",
      shortNames: ["ir"],
    },
    versions: [
      {
        name: "v2beta1",
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: "Action", type: "string", jsonPath: ".spec.action" },
          { name: "Status", type: "string", jsonPath: ".status.requestStatus" },
          { name: "Function", type: "string", jsonPath: ".status.functionState" },
          AGE,
        ],
        schema: { openAPIV3Schema: { type: "object", required: ["spec"], properties: { spec: OPEN, status: OPEN } } },
      },
    ],
  },
};
