// The spec of a pod, also in templates (k/k: ValidatePodSpec, ValidatePodTemplateSpec).
import {
  byteLength,
  duplicate,
  forbidden,
  inclusiveRange,
  invalid,
  invalidEach,
  isDns1123Label,
  isDns1123Subdomain,
  isDns1123SubdomainWithUnderscore,
  isQualifiedName,
  notFound,
  notSupported,
  parseIp,
  required,
  tooLong,
  validateAnnotations,
  validateLabels,
  type FieldError,
} from "@fairlead/apimachinery";
import type { JsonObject } from "@fairlead/base";
import { at, bool, has, num, obj, objs, shownMap, str, strs } from "./access.js";
import { containersErrors, ephemeralContainersErrors, initContainersErrors, type PodFacts } from "./container-rules.js";
import { allContainers, hostProcessErrors, osErrors } from "./os-rules.js";
import { podResourceErrors } from "./pod-level-resources.js";
import { containerResourceNameErrors, resourceErrors } from "./pod-resources.js";
import { internalForm } from "./internal-form.js";
import { GREATEST_INT32, requiredOneOf } from "./rules.js";
import { affinityErrors, spreadErrors, tolerationErrors } from "./scheduling-rules.js";
import { podSecurityErrors } from "./security-rules.js";
import { volumeErrors } from "./volume-sources.js";

/** What a pod's spec is validated for. */
export interface PodSpecPlace {
  /** Whether it is a pod rather than a template. */
  readonly pod: boolean;
  /** The pod's name, if it is known. */
  readonly name?: string;
}

/** What is wrong with a pod template. */
export function templateErrors(template: JsonObject, path: string): readonly FieldError[] {
  const metadata = at(template, "metadata");
  const spec = at(template, "spec");
  const errors = [
    ...validateLabels(obj(metadata, "labels"), `${path}.labels`),
    ...validateAnnotations(obj(metadata, "annotations"), `${path}.annotations`),
    ...podSpecErrors(spec, `${path}.spec`, { pod: false }),
  ];
  if (objs(spec, "ephemeralContainers").length > 0) {
    errors.push(forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template"));
  }
  return errors;
}

/** What is wrong with a pod's spec, in Kubernetes' order. */
export function podSpecErrors(spec: JsonObject, path: string, place: PodSpecPlace): readonly FieldError[] {
  const { errors, volumes } = volumeErrors(spec, place, `${path}.volumes`);
  const facts: PodFacts = {
    spec,
    volumes,
    claims: objs(spec, "resourceClaims")
      .map((claim) => str(claim, "name"))
      .filter((name) => name !== ""),
  };
  return [
    ...(has(spec, "terminationGracePeriodSeconds") ? [] : [required(`${path}.terminationGracePeriodSeconds`)]),
    ...errors,
    ...claimErrors(spec, `${path}.resourceClaims`),
    ...containersErrors(facts, `${path}.containers`),
    ...initContainersErrors(facts, `${path}.initContainers`),
    ...ephemeralContainersErrors(facts, `${path}.ephemeralContainers`),
    ...podResourceErrors(spec, path, facts.claims),
    ...hostNetworkErrors(spec, path, place),
    ...requiredOneOf(str(spec, "restartPolicy"), `${path}.restartPolicy`, ["Always", "OnFailure", "Never"]),
    ...requiredOneOf(str(spec, "dnsPolicy"), `${path}.dnsPolicy`, [
      "ClusterFirstWithHostNet",
      "ClusterFirst",
      "Default",
      "None",
    ]),
    ...validateLabels(obj(spec, "nodeSelector"), `${path}.nodeSelector`),
    ...podSecurityErrors(spec, `${path}.securityContext`),
    ...affinityErrors(obj(spec, "affinity"), `${path}.affinity`),
    ...dnsErrors(spec, `${path}.dnsConfig`),
    ...objs(spec, "readinessGates").flatMap((gate, i) =>
      qualified(str(gate, "conditionType"), `${path}.readinessGates[${i}].conditionType`),
    ),
    ...gateErrors(spec, `${path}.schedulingGates`),
    ...spreadErrors(spec, `${path}.topologySpreadConstraints`),
    ...hostProcessErrors(spec, path),
    ...hostUserErrors(spec, path),
    ...nameErrors(spec, path),
    ...tolerationErrors(spec, `${path}.tolerations`),
    ...aliasErrors(spec, `${path}.hostAliases`),
    ...classErrors(spec, path),
    ...osErrors(spec, path),
    ...fileKeyErrors(spec, path),
  ];
}

function qualified(name: string, path: string): readonly FieldError[] {
  return invalidEach(path, name, isQualifiedName(name));
}

function claimErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const names = new Set<string>();
  return objs(spec, "resourceClaims").flatMap((claim, i) => {
    const name = str(claim, "name");
    const where = `${path}[${i}]`;
    const errors: FieldError[] =
      name === ""
        ? [required(`${where}.name`)]
        : names.has(name)
          ? [duplicate(`${where}.name`, name)]
          : [...invalidEach(`${where}.name`, name, isDns1123Label(name))];
    names.add(name);
    const [direct, template] = [has(claim, "resourceClaimName"), has(claim, "resourceClaimTemplateName")];
    const problem =
      direct && template
        ? "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
        : "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
    if (direct === template) errors.push(invalid(where, internalForm(claim, "core.PodResourceClaim"), problem));
    for (const key of ["resourceClaimName", "resourceClaimTemplateName"]) {
      const other = str(claim, key);
      if (has(claim, key)) errors.push(...invalidEach(`${where}.${key}`, other, isDns1123Subdomain(other)));
    }
    return errors;
  });
}

/** On the host's network a port of the host is the container's own. */
function hostNetworkErrors(spec: JsonObject, path: string, { pod }: PodSpecPlace): readonly FieldError[] {
  if (!bool(spec, "hostNetwork")) return [];
  return objs(spec, "containers").flatMap((container, c) =>
    objs(container, "ports").flatMap((port, p) => {
      const host = num(port, "hostPort");
      if ((!pod && host === 0) || host === num(port, "containerPort")) return [];
      return [
        invalid(
          `${path}.containers[${c}].ports[${p}].hostPort`,
          host,
          "must match `containerPort` when `hostNetwork` is true",
        ),
      ];
    }),
  );
}

function dnsErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const config = obj(spec, "dnsConfig");
  const servers = strs(config, "nameservers");
  if (str(spec, "dnsPolicy") === "None") {
    if (config === undefined) return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
    if (servers.length === 0)
      return [required(`${path}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None")];
  }
  if (config === undefined) return [];
  const searches = strs(config, "searches");
  const errors: FieldError[] =
    servers.length > 3 ? [invalid(`${path}.nameservers`, [...servers], "must not have more than 3 nameservers")] : [];
  errors.push(...servers.flatMap((server, i) => ipErrors(server, `${path}.nameservers[${i}]`)));
  if (searches.length > 32)
    errors.push(invalid(`${path}.searches`, [...searches], "must not have more than 32 search paths"));
  if (byteLength(searches.join(" ")) > 2048) {
    errors.push(
      invalid(
        `${path}.searches`,
        [...searches],
        "must not have more than 2048 characters (including spaces) in the search list",
      ),
    );
  }
  for (const [i, search] of searches.entries()) {
    const name = search.replace(/\.$/, "");
    if (search !== ".")
      errors.push(...invalidEach(`${path}.searches[${i}]`, name, isDns1123SubdomainWithUnderscore(name)));
  }
  return [
    ...errors,
    ...objs(config, "options").flatMap((option, i) =>
      str(option, "name") === "" ? [required(`${path}.options[${i}]`, "must not be empty")] : [],
    ),
  ];
}

/** An address in one of the fields that have always been lenient. */
export function ipErrors(ip: string, path: string): readonly FieldError[] {
  return parseIp(ip) === undefined
    ? [invalid(path, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")]
    : [];
}

function gateErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return objs(spec, "schedulingGates").flatMap((gate, i) => {
    const name = str(gate, "name");
    const repeated = seen.has(name) ? [duplicate(`${path}[${i}]`, name)] : [];
    seen.add(name);
    return [...qualified(name, `${path}[${i}]`), ...repeated];
  });
}

function hostUserErrors(spec: JsonObject, path: string): readonly FieldError[] {
  if (!has(spec, "hostUsers") || bool(spec, "hostUsers")) return [];
  const refused: readonly (readonly [key: string, shown: string])[] = [
    ["hostNetwork", "hostNetwork"],
    ["hostPID", "HostPID"],
    ["hostIPC", "HostIPC"],
  ];
  const reason = "when `hostUsers` is false";
  return [
    ...refused.filter(([key]) => bool(spec, key)).map(([, shown]) => forbidden(`${path}.${shown}`, reason)),
    ...allContainers(spec, path)
      .filter(({ container }) => objs(container, "volumeDevices").length > 0)
      .map((placed) => forbidden(`${placed.path}.volumeDevices`, reason)),
  ];
}

function nameErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const optional = (key: string, rule: (name: string) => readonly string[]): readonly FieldError[] =>
    str(spec, key) === "" ? [] : invalidEach(`${path}.${key}`, str(spec, key), rule(str(spec, key)));
  const errors: FieldError[] = [];
  if (has(spec, "hostnameOverride")) {
    const name = str(spec, "hostnameOverride");
    const where = `${path}.hostnameOverride`;
    if (bool(spec, "setHostnameAsFQDN"))
      errors.push(forbidden(where, "may not be specified when setHostnameAsFQDN is true"));
    if (bool(spec, "hostNetwork")) errors.push(forbidden(where, "may not be specified when hostNetwork is true"));
    if (byteLength(name) > 64) errors.push(tooLong(where, 64));
    errors.push(...invalidEach(where, name, isDns1123Subdomain(name)));
  }
  errors.push(...optional("serviceAccountName", isDns1123Subdomain), ...optional("nodeName", isDns1123Subdomain));
  if (has(spec, "activeDeadlineSeconds")) {
    const seconds = num(spec, "activeDeadlineSeconds");
    if (seconds < 1 || seconds > GREATEST_INT32)
      errors.push(invalid(`${path}.activeDeadlineSeconds`, seconds, inclusiveRange(1, GREATEST_INT32)));
  }
  return [...errors, ...optional("hostname", isDns1123Label), ...optional("subdomain", isDns1123Label)];
}

function aliasErrors(spec: JsonObject, path: string): readonly FieldError[] {
  return objs(spec, "hostAliases").flatMap((alias, i) => [
    ...ipErrors(str(alias, "ip"), `${path}[${i}].ip`),
    ...strs(alias, "hostnames").flatMap((name, j) =>
      invalidEach(`${path}[${i}].hostnames[${j}]`, name, isDns1123Subdomain(name)),
    ),
  ]);
}

function classErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const priority = str(spec, "priorityClassName");
  if (priority !== "") errors.push(...invalidEach(`${path}.priorityClassName`, priority, isDns1123Subdomain(priority)));
  if (has(spec, "runtimeClassName")) {
    const name = str(spec, "runtimeClassName");
    errors.push(...invalidEach(`${path}.runtimeClassName`, name, isDns1123Subdomain(name)));
  }
  if (has(spec, "preemptionPolicy"))
    errors.push(
      ...requiredOneOf(str(spec, "preemptionPolicy"), `${path}.preemptionPolicy`, ["PreemptLowerPriority", "Never"]),
    );
  const overhead = obj(spec, "overhead");
  if (overhead !== undefined)
    errors.push(
      ...resourceErrors({ limits: overhead }, `${path}.overhead`, { name: containerResourceNameErrors, claims: [] }),
    );
  return errors;
}

/** Files that variables are read from lie in empty folders. */
function fileKeyErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const volumes = new Map(objs(spec, "volumes").map((volume) => [str(volume, "name"), volume]));
  return allContainers(spec, path).flatMap((placed) =>
    objs(placed.container, "env").flatMap((variable, i) => {
      const reference = obj(at(variable, "valueFrom"), "fileKeyRef");
      if (reference === undefined) return [];
      const name = str(reference, "volumeName");
      const where = `${placed.path}.env[${i}].valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(name);
      if (volume === undefined) return [notFound(where, name)];
      return has(volume, "emptyDir") ? [] : [invalid(where, name, "referenced volume must be of type emptyDir")];
    }),
  );
}

/** What templates of replicated workloads must have besides: their selector's labels, and that their pods restart. */
export function replicatedTemplateErrors(
  template: JsonObject,
  path: string,
  owner: { readonly matches: boolean; readonly deadline: string },
): readonly FieldError[] {
  const spec = at(template, "spec");
  const labels = shownMap(at(template, "metadata"), "labels");
  const restart = str(spec, "restartPolicy");
  return [
    ...(owner.matches
      ? []
      : [invalid(`${path}.metadata.labels`, labels, "`selector` does not match template `labels`")]),
    ...templateErrors(template, path),
    ...(restart === "Always" ? [] : [notSupported(`${path}.spec.restartPolicy`, restart, ["Always"])]),
    ...(has(spec, "activeDeadlineSeconds") ? [forbidden(`${path}.spec.activeDeadlineSeconds`, owner.deadline)] : []),
  ];
}
