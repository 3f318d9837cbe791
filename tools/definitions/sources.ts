/** A Go module that publishes CustomResourceDefinitions, and objects that they must accept. */
export interface Source {
  /** `path@version`; all are under the Apache License 2.0. */
  readonly module: string;
  /** Folders or files with definitions, in the module. */
  readonly definitions: readonly string[];
  /** Folders or files with objects that are accepted. */
  readonly samples: readonly string[];
  /** Folders with objects that are refused. */
  readonly refused?: readonly string[];
  /** Samples that do not fit their own definitions, by the end of the file's name, and why. They are refused. */
  readonly faulty?: Readonly<Record<string, string>>;
}

/** What people install. Nothing of it is kept in this repository. */
export const SOURCES: readonly Source[] = [
  {
    module: "sigs.k8s.io/gateway-api@v1.6.3",
    definitions: ["config/crd/experimental"],
    samples: ["examples/standard", "examples/experimental"],
    refused: ["hack/invalid-examples"],
  },
  {
    module: "github.com/cert-manager/cert-manager@v1.18.2",
    definitions: ["deploy/crds"],
    samples: ["test/fixtures", "make/config/projectcontour"],
  },
  {
    module: "github.com/argoproj/argo-rollouts@v1.8.3",
    definitions: ["manifests/crds"],
    samples: ["examples", "test/e2e", "test/cmd", "docs/getting-started"],
    faulty: {
      "nginx-template.yaml": "a template: its name is no name",
      "template-rollout.yaml": "a template: its name is no name",
    },
  },
  {
    module: "github.com/prometheus-operator/prometheus-operator@v0.85.0",
    definitions: ["example/prometheus-operator-crd-full"],
    samples: ["example"],
    faulty: {
      "scrapeclass-example-definition.yaml": "has no name",
      "scrapeclass-example-podmonitor.yaml": "has no name and no spec.selector",
      "scrapeclass-example-servicemonitor.yaml": "has no spec.selector, which is required",
    },
  },
  {
    module: "github.com/fluxcd/source-controller@v1.9.6",
    definitions: ["config/crd/bases"],
    samples: ["config/samples", "config/testdata"],
  },
  {
    module: "github.com/fluxcd/kustomize-controller@v1.9.6",
    definitions: ["config/crd/bases"],
    samples: ["config/samples", "config/testdata"],
  },
  {
    module: "github.com/fluxcd/notification-controller@v1.6.0",
    definitions: ["config/crd/bases"],
    samples: ["config/samples", "config/testdata"],
  },
];
