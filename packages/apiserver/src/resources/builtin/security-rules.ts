// Security contexts of pods and containers (k/k: ValidateSecurityContext, validatePodSpecSecurityContext).
import {
  byteLength,
  duplicate,
  invalid,
  invalidEach,
  isInRange,
  notSupported,
  required,
  tooLong,
  type FieldError,
} from "@fairlead/apimachinery";
import { getOwn, isArray, type JsonObject } from "@fairlead/base";
import { at, bool, has, num, obj, objs, str, strs } from "./access.js";
import { internalForm } from "./internal-form.js";
import { windowsOptionsErrors } from "./os-rules.js";
import { oneOf } from "./rules.js";
import { descendingPathErrors } from "./volume-sources.js";

const GREATEST_ID = 2147483647;

/** What is wrong with a container's context. */
export function securityContextErrors(
  context: JsonObject | undefined,
  hostUsers: boolean,
  path: string,
): readonly FieldError[] {
  if (context === undefined) return [];
  const errors: FieldError[] = ["runAsUser", "runAsGroup"].flatMap((key) => [...idErrors(context, key, path)]);
  if (has(context, "procMount")) {
    const mount = str(context, "procMount");
    errors.push(...oneOf(mount, `${path}.procMount`, ["Default", "Unmasked"]));
    if (hostUsers && mount === "Unmasked")
      errors.push(invalid(`${path}.procMount`, mount, "`hostUsers` must be false to use `Unmasked`"));
  }
  errors.push(...seccompErrors(obj(context, "seccompProfile"), `${path}.seccompProfile`));
  if (has(context, "allowPrivilegeEscalation") && !bool(context, "allowPrivilegeEscalation")) {
    const value = internalForm(context, "core.SecurityContext");
    if (bool(context, "privileged"))
      errors.push(invalid(path, value, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"));
    for (const capability of strs(at(context, "capabilities"), "add")) {
      if (capability === "CAP_SYS_ADMIN")
        errors.push(
          invalid(path, value, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"),
        );
    }
  }
  return [
    ...errors,
    ...windowsOptionsErrors(obj(context, "windowsOptions"), `${path}.windowsOptions`),
    ...appArmorErrors(obj(context, "appArmorProfile"), `${path}.appArmorProfile`),
  ];
}

/** What is wrong with a pod's context. */
export function podSecurityErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const context = at(spec, "securityContext");
  const groups = getOwn(context, "supplementalGroups");
  const errors: FieldError[] = ["fsGroup", "runAsUser", "runAsGroup"].flatMap((key) => [
    ...idErrors(context, key, path),
  ]);
  if (isArray(groups)) {
    for (const [i, group] of groups.entries()) {
      errors.push(...invalidEach(`${path}.supplementalGroups[${i}]`, group, isInRange(Number(group), 0, GREATEST_ID)));
    }
  }
  if (bool(spec, "shareProcessNamespace") && bool(spec, "hostPID")) {
    errors.push(
      invalid(`${path}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled"),
    );
  }
  errors.push(...sysctlErrors(context, `${path}.sysctls`));
  const choice = (key: string, values: readonly string[]): readonly FieldError[] =>
    has(context, key) ? oneOf(str(context, key), `${path}.${key}`, values) : [];
  return [
    ...errors,
    ...choice("fsGroupChangePolicy", ["Always", "OnRootMismatch"]),
    ...seccompErrors(obj(context, "seccompProfile"), `${path}.seccompProfile`),
    ...windowsOptionsErrors(obj(context, "windowsOptions"), `${path}.windowsOptions`),
    ...appArmorErrors(obj(context, "appArmorProfile"), `${path}.appArmorProfile`),
    ...choice("supplementalGroupsPolicy", ["Merge", "Strict"]),
    ...choice("seLinuxChangePolicy", ["Recursive"]),
  ];
}

function idErrors(context: JsonObject, key: string, path: string): readonly FieldError[] {
  return has(context, key)
    ? invalidEach(`${path}.${key}`, num(context, key), isInRange(num(context, key), 0, GREATEST_ID))
    : [];
}

const SYSCTL = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

function sysctlErrors(context: JsonObject, path: string): readonly FieldError[] {
  const names = new Set<string>();
  return objs(context, "sysctls").flatMap((sysctl, i) => {
    const name = str(sysctl, "name");
    const where = `${path}[${i}].name`;
    if (name === "") return [required(where)];
    const repeated = names.has(name);
    names.add(name);
    if (byteLength(name) > 253 || !new RegExp(SYSCTL).test(name))
      return [invalid(where, name, `must have at most 253 characters and match regex ${SYSCTL}`)];
    return repeated ? [duplicate(where, name)] : [];
  });
}

function seccompErrors(profile: JsonObject | undefined, path: string): readonly FieldError[] {
  if (profile === undefined) return [];
  const type = str(profile, "type");
  const errors: FieldError[] =
    type === ""
      ? [required(`${path}.type`, "type is required when seccompProfile is set")]
      : [...oneOf(type, `${path}.type`, ["Localhost", "RuntimeDefault", "Unconfined"])];
  const local = has(profile, "localhostProfile");
  if (type === "Localhost") {
    if (!local) return [...errors, required(`${path}.localhostProfile`, "must be set when seccomp type is Localhost")];
    return [...errors, ...descendingPathErrors(str(profile, "localhostProfile"), `${path}.localhostProfile`)];
  }
  return local
    ? [
        ...errors,
        invalid(
          `${path}.localhostProfile`,
          internalForm(profile, "core.SeccompProfile"),
          "can only be set when seccomp type is Localhost",
        ),
      ]
    : errors;
}

const APP_ARMOR: readonly string[] = ["Localhost", "RuntimeDefault", "Unconfined"];

function appArmorErrors(profile: JsonObject | undefined, path: string): readonly FieldError[] {
  if (profile === undefined) return [];
  const type = str(profile, "type");
  const name = str(profile, "localhostProfile");
  const where = `${path}.localhostProfile`;
  if (type === "") return [required(`${path}.type`, "type is required when appArmorProfile is set")];
  if (!APP_ARMOR.includes(type)) return [notSupported(`${path}.type`, type, APP_ARMOR)];
  if (type !== "Localhost")
    return has(profile, "localhostProfile")
      ? [invalid(where, name, "can only be set when AppArmor type is Localhost")]
      : [];
  if (name.trim() === "" && name === name.trim())
    return [required(where, "must be set when AppArmor type is Localhost")];
  if (name !== name.trim()) return [invalid(where, name, "must not be padded with whitespace")];
  return byteLength(name) > 4095 ? [tooLong(where, 4095)] : [];
}
