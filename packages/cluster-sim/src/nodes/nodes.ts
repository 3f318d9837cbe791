import { formatTime, type JsonValue } from "@fairlead/base";
import { isStatus } from "@fairlead/apimachinery";
import { kinds, mergeStatus } from "@fairlead/client";
import type { Runnable } from "@fairlead/runtime";

import type { NodeSpec } from "../options.js";

/** Registers the simulated nodes, as their kubelets would: each is created once and reported ready. */
export function nodeRegistration(nodes: readonly NodeSpec[]): Runnable {
  return {
    name: "node-registration",
    runs: "everywhere",
    run: async ({ client, clock }, signal) => {
      const api = client.as("kubelet").api(kinds.Node);
      for (const [i, spec] of nodes.entries()) {
        try {
          await api.create(
            {
              metadata: { name: spec.name, labels: labels(spec) },
              spec: { ...(spec.taints === undefined ? {} : { taints: spec.taints }) },
            },
            { signal },
          );
        } catch (error) {
          if (!isStatus(error, "AlreadyExists")) throw error;
        }
        await mergeStatus(api, spec.name, status(spec, i, formatTime(clock.now())), { signal });
      }
    },
  };
}

function labels({ name, labels: own }: NodeSpec): Readonly<Record<string, string>> {
  return {
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    "beta.kubernetes.io/os": "linux",
    "beta.kubernetes.io/arch": "amd64",
    ...own,
  };
}

function status({ name, capacity }: NodeSpec, index: number, now: string): JsonValue {
  const condition = (type: string, value: string, reason: string, message: string): JsonValue => ({
    type,
    status: value,
    reason,
    message,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: "InternalIP", address: `10.0.0.${index + 10}` },
      { type: "Hostname", address: name },
    ],
    conditions: [
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
      condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
      condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ],
    nodeInfo: {
      architecture: "amd64",
      bootID: "",
      containerRuntimeVersion: "sim://1.0.0",
      kernelVersion: "simulated",
      kubeProxyVersion: "",
      kubeletVersion: "v1.35.2",
      machineID: name,
      operatingSystem: "linux",
      osImage: "Fairlead simulated node",
      systemUUID: "",
    },
  };
}
