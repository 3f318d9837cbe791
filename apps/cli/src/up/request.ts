import { FairleadError } from "@fairlead/base";
import { systemClock } from "@fairlead/base/node";
import type { Client } from "@fairlead/client";
import { IcmsRequest, MiniService, miniServiceName, REQUESTS_NAMESPACE } from "@fairlead/miniservice";

import { base64, type UpInputs } from "./inputs.js";

const LOOK_MS = 100;

/** What is done with a request of this name. */
export type Requested = "created" | "found" | "anew";

/**
 * Makes the request that a control plane would send. One that is there already, from an earlier run with the same data
 * folder, is kept if it asks for the same; and if that ended in failure, its service is made anew, since a chart on disk
 * may have been mended.
 *
 * @throws FairleadError `ServiceExists` when it asks for something else
 */
export async function ensureRequest(
  client: Client,
  name: string,
  inputs: UpInputs,
  signal: AbortSignal,
): Promise<Requested> {
  const requests = client.api(IcmsRequest, REQUESTS_NAMESPACE);
  const spec = specOf(name, inputs);
  const existing = await requests.find(name, { signal });
  if (existing === undefined) {
    await requests.create({ metadata: { name }, spec }, { signal });
    return "created";
  }
  const before = existing.spec.creationMsgInfo?.functionLaunchSpecification;
  const wanted = spec.creationMsgInfo.functionLaunchSpecification;
  if (before?.helmChart !== wanted.helmChart || before.configuration !== wanted.configuration) {
    const difference =
      before?.helmChart === wanted.helmChart ? "with other values" : `with chart ${before?.helmChart ?? "(none)"}`;
    throw new FairleadError(
      "ServiceExists",
      `${name} is there already, ${difference}; give this one another --name, or another --data-dir`,
    );
  }
  return (await endedInFailure(client, name, signal)) ? "anew" : "found";
}

function specOf(name: string, { chart, values }: UpInputs) {
  const environment = [
    "FUNCTION_NAME=sample",
    ...(chart.sample ? ["HELM_CHART_INFERENCE_SERVICE_NAME=mini-service-entrypoint", "INFERENCE_PORT=8000"] : []),
  ].join("\n");
  const functionLaunchSpecification: { helmChart: string; environment: string; configuration?: string } = {
    helmChart: chart.url,
    environment: base64(environment),
    ...(values === undefined ? {} : { configuration: base64(values) }),
  };
  return {
    requestId: name,
    action: "RequestICMSInstances",
    functionDetails: { functionId: name, functionVersionId: "1", functionType: "DEFAULT" },
    creationMsgInfo: { instanceCount: 1, functionLaunchSpecification },
  };
}

/** Whether the request's service had failed; it is gone then, and the control plane makes another one. */
async function endedInFailure(client: Client, requestName: string, signal: AbortSignal): Promise<boolean> {
  const services = client.api(MiniService);
  const service = await services.find(miniServiceName(requestName), { signal });
  const phase = service?.status?.phase ?? "";
  if (service === undefined || (phase !== "InstallFailed" && phase !== "Failed")) return false;
  await services.deleteObject(service, { signal });
  while ((await services.find(service.metadata.name, { signal }))?.metadata.uid === service.metadata.uid) {
    await systemClock.sleep(LOOK_MS, signal);
  }
  return true;
}
