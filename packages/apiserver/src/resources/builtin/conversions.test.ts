import { describe, expect, it } from "vitest";
import type { JsonObject } from "@fairlead/base";
import { defaulted } from "./builtin.fixtures.js";
import { convertEvent } from "./event-conversion.js";
import { convertAutoscaler } from "./hpa-conversion.js";

const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } };
const memory = {
  type: "Resource",
  resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
};

function autoscaler(spec: JsonObject, status: JsonObject = {}): JsonObject {
  return defaulted("autoscaling/v2/HorizontalPodAutoscaler", {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "h", namespace: "n" },
    spec: { scaleTargetRef: { kind: "Deployment", name: "d" }, maxReplicas: 5, ...spec },
    status,
  });
}

describe("autoscalers", () => {
  it.each<[sentence: string, object: JsonObject]>([
    ["with the CPU alone", autoscaler({ metrics: [cpu] })],
    ["with another metric first", autoscaler({ metrics: [memory, cpu] })],
    ["without metrics of v1", autoscaler({ metrics: [memory] })],
    ["with a behaviour", autoscaler({ metrics: [cpu], behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } })],
    [
      "with a status",
      autoscaler(
        { metrics: [cpu] },
        {
          currentReplicas: 2,
          desiredReplicas: 3,
          conditions: [
            {
              type: "AbleToScale",
              status: "True",
              lastTransitionTime: "2024-01-01T00:00:00Z",
              reason: "R",
              message: "m",
            },
          ],
        },
      ),
    ],
  ])("%s come back from v1 as they were", (_sentence, object) => {
    const old = convertAutoscaler(object, "autoscaling/v1");
    expect(old["apiVersion"]).toBe("autoscaling/v1");
    const metrics = (each: JsonObject): unknown => (each["spec"] as JsonObject)["metrics"];
    const back = convertAutoscaler(old, "autoscaling/v2");
    expect({ ...back, spec: { ...(back["spec"] as JsonObject), metrics: 0 } }).toEqual({
      ...object,
      spec: { ...(object["spec"] as JsonObject), metrics: 0 },
    });
    // The CPU comes last: v1 has a field of its own for it.
    expect(new Set(metrics(back) as JsonObject[])).toEqual(new Set(metrics(object) as JsonObject[]));
  });

  it("show the CPU in a field of its own in v1", () => {
    expect(convertAutoscaler(autoscaler({ metrics: [cpu] }), "autoscaling/v1")["spec"]).toMatchObject({
      targetCPUUtilizationPercentage: 70,
    });
  });
});

it("names the parts of an event as its group does, and back", () => {
  const event = defaulted("/v1/Event", {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e", namespace: "n" },
    involvedObject: { kind: "Pod", name: "p" },
    message: "m",
    reason: "r",
    source: { component: "c" },
    count: 3,
  });
  const converted = convertEvent(event, "events.k8s.io/v1");
  expect(converted).toMatchObject({
    regarding: { kind: "Pod", name: "p" },
    note: "m",
    deprecatedSource: { component: "c" },
    deprecatedCount: 3,
  });
  expect(convertEvent(converted, "v1")).toEqual(event);
});
