import { describe, expect, it } from "vitest";

import type { MiniService, MiniServiceStatus } from "./api.js";
import { decide, type Plan } from "./decide.js";
import { DEFAULT_LIMITS } from "./limits.js";
import type { Observation, WorkerSeen } from "./observe.js";
import type { Rendered } from "./rendered.js";

const rendered = (
  config: { readonly featureFlags?: Record<string, boolean> } | null,
  inputDigest = "sha256:a",
): Rendered => ({
  kind: "documents",
  inputDigest,
  hash: "sha256:h",
  documents: { kind: "decoded", objects: [], resources: [], control: { kind: "decoded", config, ignored: [] } },
});

const service = (
  status: MiniServiceStatus = {},
  spec: Partial<MiniService["spec"]> = {},
  generation = 1,
): MiniService =>
  ({
    metadata: { name: "sr-foo-miniservice", uid: "u1", generation, finalizers: [] },
    spec: { namespace: "sr-foo", icmsRequestName: "sr-foo", ...spec },
    status,
  }) as unknown as MiniService;

const worker = (change: Partial<WorkerSeen & { kind: "present" }> = {}): WorkerSeen => ({
  kind: "present",
  pod: { metadata: { name: "utils" } },
  health: { status: "running", reason: "", state: "good", containers: [] },
  initialized: true,
  leaving: false,
  container: "ready",
  ...change,
});

const fresh: Observation = {
  service: service(),
  nowMs: Date.UTC(2026, 10, 30),
  requestName: { kind: "value", value: "sr-foo" },
  request: { kind: "found", request: { metadata: { name: "sr-foo" }, spec: {} } },
  deleting: false,
  finalized: true,
  namespace: { kind: "absent" },
  rendered: rendered(null),
  worker: { kind: "absent" },
  objects: undefined,
};

const installed: MiniServiceStatus = {
  phase: "Running",
  revision: 0,
  installedRevision: 0,
  installedDigest: "sha256:a",
  attemptedDigest: "sha256:a",
};
const FLAG = { featureFlags: { StatusByWorkerReadiness: true } };
const planOf = (change: Partial<Observation>): Plan => decide({ ...fresh, ...change }, DEFAULT_LIMITS);

describe("what to do next", () => {
  it.each<[sentence: string, change: Partial<Observation>, plan: unknown]>([
    [
      "refuses an object without a namespace",
      { service: service({}, { namespace: "" }) },
      { kind: "reject", reason: "NamespaceMissing" },
    ],
    [
      "refuses an object without a request",
      { requestName: { kind: "value", value: "" } },
      { kind: "reject", reason: "RequestNameMissing" },
    ],
    [
      "refuses an object whose aliases conflict",
      { requestName: { kind: "invalid", message: "ICMS request name has conflicting values" } },
      { kind: "reject", reason: "ConflictingAliases" },
    ],
    ["takes the finalizer before anything else is made", { finalized: false }, { kind: "addFinalizer" }],
    [
      "looks a second time before it believes that a request is gone",
      { request: { kind: "absent", confirmed: false, recheckMs: 9000 } },
      { kind: "wait", reason: "RequestNotFound", afterMs: 9000 },
    ],
    [
      "cleans up when the request is gone",
      {
        request: { kind: "absent", confirmed: true, recheckMs: 0 },
        namespace: { kind: "active", namespace: {} as never, owner: "us" },
      },
      { kind: "cleanUp" },
    ],
    [
      "saves the configuration before the first object is applied",
      { rendered: rendered(FLAG) },
      { kind: "saveWorkloadConfig", config: FLAG },
    ],
    [
      "clears a configuration that the chart no longer has",
      { service: service({}, { workloadConfig: FLAG }) },
      { kind: "saveWorkloadConfig", config: null },
    ],
    [
      "clears a literal null too",
      { service: service({}, { workloadConfig: null }) },
      { kind: "saveWorkloadConfig", config: null },
    ],
    [
      "applies what is around the chart first",
      {},
      { kind: "install", steps: ["namespace", "fences", "worker"], revision: 0, update: false },
    ],
    [
      "applies the chart once the worker's init containers have ended",
      { worker: worker() },
      { kind: "install", steps: ["namespace", "fences", "worker", "workload", "revision"], revision: 0, update: false },
    ],
    [
      "waits for a namespace that is going away",
      { namespace: { kind: "terminating", namespace: {} as never, stuck: false } },
      { kind: "wait", reason: "NamespaceTerminating", afterMs: 5000 },
    ],
    [
      "does not take another service's namespace",
      { namespace: { kind: "active", namespace: {} as never, owner: "other" } },
      { kind: "fail", reason: "NamespaceTaken" },
    ],
    [
      "fails an install whose chart is invalid",
      { rendered: { kind: "invalid", inputDigest: "sha256:a", reason: "ReValResultInvalid", message: "m" } },
      { kind: "fail", reason: "ReValResultInvalid", update: false },
    ],
    [
      "tries again when rendering could not be tried",
      { rendered: { kind: "unavailable", inputDigest: "sha256:a", message: "m" } },
      { kind: "retry", reason: "RenderUnavailable", message: "m" },
    ],
    [
      "leaves a service alone that has failed with these inputs",
      { service: service({ phase: "InstallFailed", attemptedDigest: "sha256:a" }) },
      { kind: "parked" },
    ],
    [
      "revives a failed service when its inputs change",
      { service: service({ phase: "InstallFailed", attemptedDigest: "sha256:old" }) },
      { kind: "install", revision: 0 },
    ],
    [
      "watches an installed service",
      {
        service: service(installed),
        worker: worker(),
        objects: [],
        namespace: { kind: "active", namespace: {} as never, owner: "us" },
      },
      { kind: "watch" },
    ],
    [
      "brings back a worker that is gone",
      { service: service(installed), objects: [], namespace: { kind: "active", namespace: {} as never, owner: "us" } },
      { kind: "restoreWorker" },
    ],
    [
      "updates when the inputs change, at the next revision",
      { service: service(installed), rendered: rendered(null, "sha256:b"), worker: worker(), objects: [] },
      { kind: "install", revision: 1, update: true },
    ],
    [
      "removes the finalizer once the namespace is gone",
      { deleting: true, rendered: undefined },
      { kind: "removeFinalizer" },
    ],
    [
      "never removes a namespace that it did not make",
      { deleting: true, namespace: { kind: "active", namespace: {} as never, owner: "nobody" } },
      { kind: "removeFinalizer" },
    ],
  ])("%s", (_sentence, change, plan) => {
    expect(planOf(change)).toMatchObject(plan as object);
  });

  it("stays at revision zero when its own write of the configuration raises the generation", () => {
    const seen: Partial<Observation> = {
      service: service({ phase: "Installing", revision: 0, observedGeneration: 1 }, { workloadConfig: FLAG }, 2),
      rendered: rendered(FLAG),
      worker: worker({ initialized: false }),
      namespace: { kind: "active", namespace: {} as never, owner: "us" },
    };
    expect(planOf(seen)).toMatchObject({ kind: "install", revision: 0, update: false });
  });

  it("stays at revision zero whatever phase a first install is in", () => {
    for (const phase of ["", "Installing", "CachingInProgress"] as const) {
      expect(planOf({ service: service({ phase, observedGeneration: 1 }, {}, 2), worker: worker() })).toMatchObject({
        kind: "install",
        revision: 0,
        update: false,
      });
    }
  });

  it("keeps a serving revision in force until an update's objects are applied: the flag is saved after them", () => {
    const updating = planOf({
      service: service(installed, { workloadConfig: FLAG }),
      rendered: rendered(null, "sha256:b"),
      worker: worker(),
      objects: [],
    });
    expect(updating).toMatchObject({ kind: "install", update: true });
    const applied = { ...installed, installedRevision: 1, installedDigest: "sha256:b" };
    expect(
      planOf({
        service: service(applied, { workloadConfig: FLAG }),
        rendered: rendered(null, "sha256:b"),
        worker: worker(),
        objects: [],
      }),
    ).toMatchObject({ kind: "saveWorkloadConfig", config: null });
  });
});
