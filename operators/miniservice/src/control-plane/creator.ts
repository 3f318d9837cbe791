import { decodeBase64, decodeUtf8, FairleadError, isObject, type JsonObject } from "@fairlead/base";
import { parseYaml } from "@fairlead/apimachinery/yaml";

import type { HelmChartConfig, IcmsRequest, MiniServiceSpec, RegistryAuth } from "../api.js";
import { requestAnnotations, requestLabels } from "../manifests.js";

/** A request that no service can be made of; the message names the field and what to do. */
export class RequestError extends FairleadError {
  constructor(request: IcmsRequest, why: string) {
    super("RequestInvalid", `ICMSRequest ${request.metadata.name}: ${why}`);
  }
}

const SUFFIX = "-miniservice";
const MAX_NAME = 63;

/** `sr-foo` → `sr-foo-miniservice`, cut so that it stays a DNS label. */
export function miniServiceName(requestName: string): string {
  return requestName.slice(0, MAX_NAME - SUFFIX.length).replace(/[-.]+$/, "") + SUFFIX;
}

export interface WantedService {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: MiniServiceSpec;
}

/** The MiniService that a request asks for. @throws RequestError */
export function wantedService(request: IcmsRequest): WantedService {
  const { name } = request.metadata;
  return {
    name: miniServiceName(name),
    labels: requestLabels(request),
    annotations: requestAnnotations(request),
    spec: { namespace: name, icmsRequestName: name, helmChartConfig: chartConfig(request) },
  };
}

/** Where the chart's configuration of a request comes from: its launch specification and the environment in it. */
function chartConfig(request: IcmsRequest): HelmChartConfig {
  const info = request.spec.creationMsgInfo;
  const launch = info?.functionLaunchSpecification ?? info?.taskLaunchSpecification;
  if (launch === undefined)
    throw new RequestError(
      request,
      "both function and task launch specs are empty; set spec.creationMsgInfo.functionLaunchSpecification",
    );
  if ((launch.helmChart ?? "") === "") throw new RequestError(request, "its launch specification names no helmChart");
  const environment = launchEnvironment(request, launch.environment);
  const serviceName = environment.get("HELM_CHART_INFERENCE_SERVICE_NAME");
  const port = environment.get("INFERENCE_PORT");
  if (port !== undefined && !/^\d{1,5}$/.test(port))
    throw new RequestError(request, `invalid inference port: ${port}; INFERENCE_PORT must be a number`);
  const values = launchValues(request, launch.configuration);
  return {
    url: launch.helmChart ?? "",
    ...(serviceName === undefined ? {} : { serviceName }),
    ...(port === undefined ? {} : { servicePort: Number(port) }),
    ...(values === undefined ? {} : { values }),
    authConfig: { k8sSecrets: registryAuth(request, environment.get("HELM_REGISTRIES_CREDENTIALS")) },
  };
}

function launchEnvironment(request: IcmsRequest, encoded: string | undefined): ReadonlyMap<string, string> {
  const lines = (decoded(request, encoded, "environment") ?? "").split("\n").filter((l) => l.trim() !== "");
  return new Map(
    lines.map((line): readonly [string, string] => {
      const at = line.indexOf("=");
      const value = line.slice(at + 1);
      return [line.slice(0, Math.max(at, 0)), /^".*"$/.test(value) ? String(JSON.parse(value)) : value];
    }),
  );
}

function launchValues(request: IcmsRequest, encoded: string | undefined): JsonObject | undefined {
  const text = decoded(request, encoded, "configuration");
  if (text === undefined || text.trim() === "") return undefined;
  const { value } = parseYaml(text);
  if (value === null) return undefined;
  if (!isObject(value)) throw new RequestError(request, "its configuration is not a map of values");
  return value;
}

function registryAuth(request: IcmsRequest, encoded: string | undefined): readonly RegistryAuth[] | null {
  const text = decoded(request, encoded, "HELM_REGISTRIES_CREDENTIALS");
  if (text === undefined) return null;
  try {
    return (JSON.parse(text) as { readonly k8sSecrets?: readonly RegistryAuth[] }).k8sSecrets ?? null;
  } catch {
    throw new RequestError(request, "HELM_REGISTRIES_CREDENTIALS is not JSON");
  }
}

function decoded(request: IcmsRequest, encoded: string | undefined, what: string): string | undefined {
  if (encoded === undefined) return undefined;
  const bytes = decodeBase64(encoded);
  if (bytes === undefined) throw new RequestError(request, `its ${what} is not base64`);
  return decodeUtf8(bytes);
}
