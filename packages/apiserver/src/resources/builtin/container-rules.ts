// Containers of pods and of templates (k/k: validateContainers, validateInitContainers, validateEphemeralContainers).
import {
  duplicate,
  forbidden,
  invalid,
  invalidEach,
  isConfigMapKey,
  isDns1123Label,
  isDns1123Subdomain,
  isEnvVarName,
  isPortName,
  isPortNumber,
  notFound,
  notSupported,
  required,
  tooMany,
  type FieldError,
} from "@fairlead/apimachinery";
import type { JsonObject } from "@fairlead/base";
import { at, bool, has, num, obj, objs, str } from "./access.js";
import { envFieldErrors, resourceFieldErrors } from "./downward-api.js";
import { containerResourceNameErrors, resourceErrors } from "./pod-resources.js";
import { lifecycleErrors, probeErrors } from "./probe-rules.js";
import { oneOf, requiredOneOf } from "./rules.js";
import { securityContextErrors } from "./security-rules.js";
import { backstepErrors, descendingPathErrors } from "./volume-sources.js";

/** What containers need to know of their pod. */
export interface PodFacts {
  readonly spec: JsonObject;
  /** The volumes that may be mounted. */
  readonly volumes: ReadonlyMap<string, JsonObject>;
  /** Names of the pod's resource claims. */
  readonly claims: readonly string[];
}

const INIT_ONLY = "may not be set for init containers without restartPolicy=Always";

/** The containers that make the pod. */
export function containersErrors(pod: PodFacts, path: string): readonly FieldError[] {
  const containers = objs(pod.spec, "containers");
  if (containers.length === 0) return [required(path)];
  const names = new Set<string>();
  const errors = containers.flatMap((container, i) => {
    const where = `${path}[${i}]`;
    const name = str(container, "name");
    const own = [
      ...commonErrors(container, pod, where),
      ...(names.has(name) ? [duplicate(`${where}.name`, name)] : []),
    ];
    names.add(name);
    return [...own, ...lifecycleAndProbes(container, pod, where), ...restartErrors(container, where)];
  });
  return [...errors, ...hostPortErrors(containers, path)];
}

/** The containers that run before the others, or beside them. */
export function initContainersErrors(pod: PodFacts, path: string): readonly FieldError[] {
  const names = new Set(objs(pod.spec, "containers").map((container) => str(container, "name")));
  return objs(pod.spec, "initContainers").flatMap((container, i) => {
    const where = `${path}[${i}]`;
    const name = str(container, "name");
    const sidecar = str(container, "restartPolicy") === "Always";
    const errors = [...commonErrors(container, pod, where), ...initRestartErrors(container, where)];
    if (names.has(name)) errors.push(duplicate(`${where}.name`, name));
    else if (name !== "") names.add(name);
    errors.push(...hostPortErrors([container], path));
    if (sidecar) return [...errors, ...lifecycleAndProbes(container, pod, where)];
    const refused = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"].filter((key) =>
      has(container, key),
    );
    return [
      ...errors,
      ...refused.map((key) => forbidden(`${where}.${key}`, INIT_ONLY)),
      ...initResizeErrors(container, where),
    ];
  });
}

function initResizeErrors(container: JsonObject, path: string): readonly FieldError[] {
  const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
  return objs(container, "resizePolicy").flatMap((policy, i) =>
    str(policy, "restartPolicy") === "RestartContainer"
      ? [invalid(`${path}.resizePolicy[${i}].restartPolicy`, "RestartContainer", detail)]
      : [],
  );
}

const EPHEMERAL_REFUSED: readonly string[] = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
];

/** The containers that were put into a running pod. */
export function ephemeralContainersErrors(pod: PodFacts, path: string): readonly FieldError[] {
  const others = new Set(
    [...objs(pod.spec, "containers"), ...objs(pod.spec, "initContainers")].map((container) => str(container, "name")),
  );
  const names = new Set(others);
  return objs(pod.spec, "ephemeralContainers").flatMap((container, i) => {
    const where = `${path}[${i}]`;
    const name = str(container, "name");
    const target = str(container, "targetContainerName");
    const errors = [...commonErrors(container, pod, where), ...imagePaddingErrors(container, where)];
    if (names.has(name)) errors.push(duplicate(`${where}.name`, name));
    names.add(name);
    if (target !== "" && !others.has(target)) errors.push(notFound(`${where}.targetContainerName`, target));
    const refused = EPHEMERAL_REFUSED.filter((key) =>
      key === "resources" ? Object.keys(at(container, key)).length > 0 : has(container, key),
    );
    const paths = objs(container, "volumeMounts").flatMap((mount, j) =>
      ["subPath", "subPathExpr"].filter((key) => str(mount, key) !== "").map((key) => `volumeMounts[${j}].${key}`),
    );
    return [
      ...errors,
      ...[...refused, ...paths].map((key) => forbidden(`${where}.${key}`, "cannot be set for an Ephemeral Container")),
    ];
  });
}

/** In pods, not in templates, an image may not be padded. */
export function imagePaddingErrors(container: JsonObject, path: string): readonly FieldError[] {
  const image = str(container, "image");
  return image.trim() === image
    ? []
    : [invalid(`${path}.image`, image, "must not have leading or trailing whitespace")];
}

function commonErrors(container: JsonObject, pod: PodFacts, path: string): FieldError[] {
  const name = str(container, "name");
  return [
    ...(name === "" ? [required(`${path}.name`)] : invalidEach(`${path}.name`, name, isDns1123Label(name))),
    ...(str(container, "image") === "" ? [required(`${path}.image`)] : []),
    ...requiredOneOf(str(container, "terminationMessagePolicy"), `${path}.terminationMessagePolicy`, [
      "File",
      "FallbackToLogsOnError",
    ]),
    ...portErrors(container, `${path}.ports`),
    ...envErrors(container, `${path}.env`),
    ...envFromErrors(container, `${path}.envFrom`),
    ...mountErrors(container, pod.volumes, `${path}.volumeMounts`),
    ...deviceErrors(container, pod.volumes, `${path}.volumeDevices`),
    ...requiredOneOf(str(container, "imagePullPolicy"), `${path}.imagePullPolicy`, ["Always", "IfNotPresent", "Never"]),
    ...resourceErrors(at(container, "resources"), `${path}.resources`, {
      name: containerResourceNameErrors,
      claims: pod.claims,
    }),
    ...resizeErrors(container, str(pod.spec, "restartPolicy"), `${path}.resizePolicy`),
    ...securityContextErrors(
      obj(container, "securityContext"),
      !has(pod.spec, "hostUsers") || bool(pod.spec, "hostUsers"),
      `${path}.securityContext`,
    ),
  ];
}

function lifecycleAndProbes(container: JsonObject, pod: PodFacts, path: string): readonly FieldError[] {
  const grace = has(pod.spec, "terminationGracePeriodSeconds")
    ? num(pod.spec, "terminationGracePeriodSeconds")
    : undefined;
  return [
    ...lifecycleErrors(obj(container, "lifecycle"), grace, `${path}.lifecycle`),
    ...["livenessProbe", "readinessProbe", "startupProbe"].flatMap((kind) =>
      probeErrors(obj(container, kind), kind, `${path}.${kind}`),
    ),
  ];
}

const PROTOCOLS: readonly string[] = ["SCTP", "TCP", "UDP"];

function portErrors(container: JsonObject, path: string): readonly FieldError[] {
  const names = new Set<string>();
  return objs(container, "ports").flatMap((port, i) => {
    const where = `${path}[${i}]`;
    const errors: FieldError[] = [];
    const name = str(port, "name");
    if (name !== "") {
      const messages = isPortName(name);
      errors.push(...invalidEach(`${where}.name`, name, messages));
      if (messages.length === 0 && names.has(name)) errors.push(duplicate(`${where}.name`, name));
      if (messages.length === 0) names.add(name);
    }
    const number = num(port, "containerPort");
    const host = num(port, "hostPort");
    if (number === 0) errors.push(required(`${where}.containerPort`));
    else errors.push(...invalidEach(`${where}.containerPort`, number, isPortNumber(number)));
    if (host !== 0) errors.push(...invalidEach(`${where}.hostPort`, host, isPortNumber(host)));
    return [...errors, ...requiredOneOf(str(port, "protocol"), `${where}.protocol`, PROTOCOLS)];
  });
}

function hostPortErrors(containers: readonly JsonObject[], path: string): readonly FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, c) =>
    objs(container, "ports").flatMap((port, p) => {
      if (num(port, "hostPort") === 0) return [];
      const key = `${str(port, "protocol")}/${str(port, "hostIP")}/${num(port, "hostPort")}`;
      if (taken.has(key)) return [duplicate(`${path}[${c}].ports[${p}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}

function envErrors(container: JsonObject, path: string): readonly FieldError[] {
  return objs(container, "env").flatMap((variable, i) => {
    const name = str(variable, "name");
    const own =
      name === "" ? [required(`${path}[${i}].name`)] : invalidEach(`${path}[${i}].name`, name, isEnvVarName(name));
    const source = obj(variable, "valueFrom");
    return source === undefined
      ? own
      : [...own, ...valueFromErrors(source, str(variable, "value"), `${path}[${i}].valueFrom`)];
  });
}

function valueFromErrors(source: JsonObject, value: string, path: string): readonly FieldError[] {
  const rules: readonly (readonly [
    key: string,
    rule: (selector: JsonObject, path: string) => readonly FieldError[],
  ])[] = [
    ["fieldRef", envFieldErrors],
    ["resourceFieldRef", (selector, where) => resourceFieldErrors(selector, where, "env")],
    ["configMapKeyRef", keyErrors],
    ["secretKeyRef", keyErrors],
    ["fileKeyRef", fileKeyErrors],
  ];
  const set = rules.filter(([key]) => has(source, key));
  const errors = set.flatMap(([key, rule]) => rule(at(source, key), `${path}.${key}`));
  const problem =
    set.length === 0
      ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
      : value !== ""
        ? "may not be specified when `value` is not empty"
        : set.length > 1
          ? "may not have more than one field specified at a time"
          : "";
  return problem === "" ? errors : [...errors, invalid(path, "", problem)];
}

function keyErrors(selector: JsonObject, path: string): readonly FieldError[] {
  const name = str(selector, "name");
  const key = str(selector, "key");
  return [
    ...invalidEach(`${path}.name`, name, isDns1123Subdomain(name)),
    ...(key === "" ? [required(`${path}.key`)] : invalidEach(`${path}.key`, key, isConfigMapKey(key))),
  ];
}

function fileKeyErrors(selector: JsonObject, path: string): readonly FieldError[] {
  const [key, volume, file] = [str(selector, "key"), str(selector, "volumeName"), str(selector, "path")];
  return [
    ...(key === "" ? [required(`${path}.key`)] : invalidEach(`${path}.key`, key, isEnvVarName(key))),
    ...(volume === ""
      ? [required(`${path}.volumeName`)]
      : invalidEach(`${path}.volumeName`, volume, isDns1123Label(volume))),
    ...(file === "" ? [required(`${path}.path`)] : backstepErrors(file, `${path}.path`)),
  ];
}

function envFromErrors(container: JsonObject, path: string): readonly FieldError[] {
  return objs(container, "envFrom").flatMap((source, i) => {
    const prefix = str(source, "prefix");
    const set = ["configMapRef", "secretRef"].filter((key) => has(source, key));
    const errors: FieldError[] =
      prefix === "" ? [] : [...invalidEach(`${path}[${i}].prefix`, prefix, isEnvVarName(prefix))];
    for (const key of set) {
      const name = str(at(source, key), "name");
      errors.push(
        ...(name === ""
          ? [required(`${path}[${i}].${key}.name`)]
          : invalidEach(`${path}[${i}].${key}.name`, name, isDns1123Subdomain(name))),
      );
    }
    if (set.length === 0) errors.push(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    if (set.length > 1) errors.push(invalid(path, "", "may not have more than one field specified at a time"));
    return errors;
  });
}

function mountErrors(
  container: JsonObject,
  volumes: ReadonlyMap<string, JsonObject>,
  path: string,
): readonly FieldError[] {
  const targets = new Set<string>();
  const devices = objs(container, "volumeDevices");
  return objs(container, "volumeMounts").flatMap((mount, i) => {
    const where = `${path}[${i}]`;
    const name = str(mount, "name");
    const target = str(mount, "mountPath");
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(`${where}.name`));
    if (!volumes.has(name)) errors.push(notFound(`${where}.name`, name));
    if (target === "") errors.push(required(`${where}.mountPath`));
    if (targets.has(target)) errors.push(invalid(`${where}.mountPath`, target, "must be unique"));
    targets.add(target);
    if (devices.some((device) => str(device, "name") === name))
      errors.push(invalid(`${where}.name`, name, "must not already exist in volumeDevices"));
    if (devices.some((device) => str(device, "devicePath") === target))
      errors.push(invalid(`${where}.mountPath`, target, "must not already exist as a path in volumeDevices"));
    return [...errors, ...subPathErrors(mount, where, path), ...propagationErrors(mount, container, path)];
  });
}

/** Paths inside the volume; their errors name the list, not its item, as Kubernetes' do. */
function subPathErrors(mount: JsonObject, where: string, path: string): readonly FieldError[] {
  const plain = str(mount, "subPath");
  const expression = str(mount, "subPathExpr");
  return [
    ...(plain === "" ? [] : descendingPathErrors(plain, `${path}.subPath`)),
    ...(expression !== "" && plain !== ""
      ? [invalid(`${where}.subPathExpr`, expression, "subPathExpr and subPath are mutually exclusive")]
      : []),
    ...(expression === "" ? [] : descendingPathErrors(expression, `${path}.subPathExpr`)),
  ];
}

function propagationErrors(mount: JsonObject, container: JsonObject, path: string): readonly FieldError[] {
  const mode = str(mount, "mountPropagation");
  const errors: FieldError[] = has(mount, "mountPropagation")
    ? [...oneOf(mode, `${path}.mountPropagation`, ["Bidirectional", "HostToContainer", "None"])]
    : [];
  if (mode === "Bidirectional" && !bool(at(container, "securityContext"), "privileged")) {
    errors.push(
      forbidden(
        `${path}.mountPropagation`,
        "Bidirectional mount propagation is available only to privileged containers",
      ),
    );
  }
  if (!has(mount, "recursiveReadOnly")) return errors;
  const recursive = str(mount, "recursiveReadOnly");
  const where = `${path}.recursiveReadOnly`;
  if (recursive === "Disabled") return errors;
  if (recursive !== "Enabled" && recursive !== "IfPossible")
    return [...errors, notSupported(where, recursive, ["Disabled", "Enabled", "IfPossible"])];
  if (!bool(mount, "readOnly")) errors.push(forbidden(where, "may only be specified when readOnly is true"));
  if (mode !== "" && mode !== "None")
    errors.push(forbidden(where, "may only be specified when mountPropagation is None or not specified"));
  return errors;
}

function deviceErrors(
  container: JsonObject,
  volumes: ReadonlyMap<string, JsonObject>,
  path: string,
): readonly FieldError[] {
  const names = new Set<string>();
  const targets = new Set<string>();
  const mounts = objs(container, "volumeMounts");
  return objs(container, "volumeDevices").flatMap((device, i) => {
    const where = `${path}[${i}]`;
    const name = str(device, "name");
    const target = str(device, "devicePath");
    const volume = volumes.get(name);
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(`${where}.name`));
    if (names.has(name)) errors.push(invalid(`${where}.name`, name, "must be unique"));
    if (name !== "") names.add(name);
    if (volume === undefined) errors.push(notFound(`${where}.name`, name));
    else if (!has(volume, "persistentVolumeClaim") && !has(volume, "ephemeral")) {
      errors.push(
        invalid(
          `${where}.name`,
          name,
          "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
        ),
      );
    }
    if (target === "") errors.push(required(`${where}.devicePath`));
    if (targets.has(target)) errors.push(invalid(`${where}.devicePath`, target, "must be unique"));
    if (backstepErrors(target, where).length > 0)
      errors.push(invalid(`${where}.devicePath`, target, "can not contain backsteps ('..')"));
    else targets.add(target);
    if (mounts.some((mount) => str(mount, "name") === name))
      errors.push(invalid(`${where}.name`, name, "must not already exist in volumeMounts"));
    if (mounts.some((mount) => str(mount, "mountPath") === target))
      errors.push(invalid(`${where}.devicePath`, target, "must not already exist as a path in volumeMounts"));
    return errors;
  });
}

function resizeErrors(container: JsonObject, restartPolicy: string, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return objs(container, "resizePolicy").flatMap((policy, i) => {
    const resource = str(policy, "resourceName");
    const restart = str(policy, "restartPolicy");
    const repeated = seen.has(resource) ? [duplicate(`${path}[${i}]`, resource)] : [];
    seen.add(resource);
    const never =
      restartPolicy === "Never" && restart !== "NotRequired"
        ? [invalid(path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")]
        : [];
    return [
      ...repeated,
      ...requiredOneOf(resource, path, ["cpu", "memory"]),
      ...requiredOneOf(restart, path, ["NotRequired", "RestartContainer"]),
      ...never,
    ];
  });
}

/** The rules beside the restart policy of a container that runs first, or beside the others. */
function initRestartErrors(container: JsonObject, path: string): readonly FieldError[] {
  const rules = objs(container, "restartPolicyRules");
  if (!has(container, "restartPolicy"))
    return rules.length === 0
      ? []
      : [required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used")];
  if (str(container, "restartPolicy") !== "Always") return restartErrors(container, path);
  const detail = "restartPolicyRules are not allowed for init containers with restart policy Always";
  return rules.length === 0 ? [] : [forbidden(`${path}.restartPolicyRules`, detail)];
}

/** Restart policies of single containers, and the rules beside them. */
function restartErrors(container: JsonObject, path: string): readonly FieldError[] {
  const rules = objs(container, "restartPolicyRules");
  const errors: FieldError[] = [];
  if (has(container, "restartPolicy"))
    errors.push(...oneOf(str(container, "restartPolicy"), `${path}.restartPolicy`, ["Always", "Never", "OnFailure"]));
  else if (rules.length > 0)
    errors.push(required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used"));
  if (rules.length > 20) errors.push(tooMany(`${path}.restartPolicyRules`, rules.length, 20));
  return [...errors, ...rules.flatMap((rule, i) => restartRuleErrors(rule, `${path}.restartPolicyRules[${i}]`))];
}

function restartRuleErrors(rule: JsonObject, path: string): readonly FieldError[] {
  const action = oneOf(str(rule, "action"), `${path}.action`, ["Restart"]);
  const codes = obj(rule, "exitCodes");
  if (codes === undefined) return [...action, required(`${path}.exitCodes`, "must be specified")];
  const values = objs(codes, "values").length;
  return [
    ...action,
    ...oneOf(str(codes, "operator"), `${path}.exitCodes.operator`, ["In", "NotIn"]),
    ...(values > 255 ? [tooMany(`${path}.exitCodes.values`, values, 255)] : []),
  ];
}
