import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "@fairlead/base";
import { createErrors, POD, prepared, strategyOf, updateErrors, withPart } from "./builtin.fixtures.js";

const container = (part: JsonObject): JsonObject =>
  withPart(POD, { spec: { containers: [{ name: "c", image: "i", ...part }] } });
const spec = (part: JsonObject): JsonObject => withPart(POD, { spec: part });

describe("a new pod", () => {
  it.each<[sentence: string, pod: JsonObject, ...errors: readonly (string | RegExp)[]]>([
    ["may be as small as this", POD],
    ["has containers", spec({ containers: [] }), "spec.containers: Required value"],
    ["has an image in each", container({ image: "" }), "spec.containers[0].image: Required value"],
    [
      "has names of containers once",
      spec({
        containers: [
          { name: "c", image: "i" },
          { name: "c", image: "i" },
        ],
      }),
      'spec.containers[1].name: Duplicate value: "c"',
    ],
    [
      "has a known restart policy",
      spec({ restartPolicy: "Sometimes" }),
      'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
    ],
    [
      "has ports that exist",
      container({ ports: [{ containerPort: 70000 }] }),
      "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
    ],
    [
      "mounts volumes that it has",
      container({ volumeMounts: [{ name: "v", mountPath: "/v" }] }),
      'spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ],
    [
      "mounts one volume to a path",
      withPart(
        container({
          volumeMounts: [
            { name: "v", mountPath: "/v" },
            { name: "v", mountPath: "/v" },
          ],
        }),
        { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
      ),
      /mountPath: Invalid value: "\/v": must be unique/,
    ],
    [
      "has one source for a volume",
      spec({ volumes: [{ name: "v", emptyDir: {}, configMap: { name: "m" } }] }),
      /may not specify more than 1 volume type/,
    ],
    [
      "requests no more than its limits",
      container({ resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }),
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ],
    [
      "has probes that do one thing",
      container({ livenessProbe: {} }),
      /livenessProbe: Required value: must specify a handler type/,
    ],
    [
      "has variables with one source",
      container({ env: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }),
      /valueFrom: Invalid value: "": may not be specified when `value` is not empty/,
    ],
    [
      "has tolerations that make sense",
      spec({ tolerations: [{ operator: "Exists", value: "v", key: "k" }] }),
      /operator: Invalid value: .*value must be empty when `operator` is 'Exists'/,
    ],
    [
      "uses the host's ports on the host's network",
      withPart(container({ ports: [{ containerPort: 80, hostPort: 81 }] }), { spec: { hostNetwork: true } }),
      /hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true/,
    ],
  ])("%s", (_sentence, pod, ...errors) => {
    const found = createErrors("/v1/Pod", pod);
    for (const [i, error] of errors.entries()) expect(found[i]).toMatch(error);
    expect(found).toHaveLength(errors.length);
  });
});

describe("a change of a pod", () => {
  const labelled = withPart(POD, { metadata: { labels: { a: "b" } } });
  it.each<[sentence: string, after: JsonObject, ...errors: readonly (string | RegExp)[]]>([
    ["may set labels", labelled],
    ["may set an image", container({ image: "j" })],
    ["may shorten its life", spec({ activeDeadlineSeconds: 5 })],
    ["may add tolerations", spec({ tolerations: [{ key: "k", operator: "Exists" }] })],
    [
      "may not add containers",
      spec({
        containers: [
          { name: "c", image: "i" },
          { name: "d", image: "i" },
        ],
      }),
      "spec.containers: Forbidden: pod updates may not add or remove containers",
    ],
    [
      "may not change anything else",
      spec({ hostNetwork: true }),
      /spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`/,
    ],
  ])("%s", (_sentence, after, ...errors) => {
    const found = updateErrors("/v1/Pod", POD, after);
    for (const [i, error] of errors.entries()) expect(found[i]).toMatch(error);
    expect(found).toHaveLength(errors.length);
  });
});

describe("warnings", () => {
  it.each<[sentence: string, pod: JsonObject, ...warnings: readonly string[]]>([
    ["none for what is in order", POD],
    [
      "a variable twice",
      container({
        env: [
          { name: "A", value: "1" },
          { name: "A", value: "2" },
        ],
      }),
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    ],
    [
      "a label of old",
      spec({ nodeSelector: { "beta.kubernetes.io/os": "linux" } }),
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    ],
  ])("%s", (_sentence, pod, ...warnings) => {
    expect(strategyOf("/v1/Pod").warnings?.(prepared("/v1/Pod", pod), undefined)).toEqual(warnings);
  });
});

describe("a row", () => {
  const row = (status: JsonObject, part: JsonObject = {}): readonly JsonValue[] =>
    strategyOf("/v1/Pod")
      .cells({ ...withPart(POD, part), status }, { nowMs: 60_000 })
      .slice(0, 4);
  const state = (value: JsonObject, ready = false): JsonObject => ({ name: "c", ready, restartCount: 0, state: value });

  it.each<[sentence: string, status: JsonObject, part: JsonObject, cells: readonly JsonValue[]]>([
    ["of a pod that waits for a node", { phase: "Pending" }, {}, ["p", "0/1", "Pending", "0"]],
    [
      "of one that runs",
      { phase: "Running", containerStatuses: [state({ running: {} }, true)] },
      {},
      ["p", "1/1", "Running", "0"],
    ],
    [
      "of one whose container waits",
      { phase: "Pending", containerStatuses: [state({ waiting: { reason: "CrashLoopBackOff" } })] },
      {},
      ["p", "0/1", "CrashLoopBackOff", "0"],
    ],
    [
      "of one that failed",
      { phase: "Failed", containerStatuses: [state({ terminated: { exitCode: 3 } })] },
      {},
      ["p", "0/1", "ExitCode:3", "0"],
    ],
    [
      "of one that goes",
      { phase: "Running" },
      { metadata: { deletionTimestamp: "1970-01-01T00:00:30Z" } },
      ["p", "0/1", "Terminating", "0"],
    ],
    ["of one that was evicted", { phase: "Failed", reason: "Evicted" }, {}, ["p", "0/1", "Evicted", "0"]],
  ])("%s", (_sentence, status, part, cells) => {
    expect(row(status, part)).toEqual(cells);
  });
});
