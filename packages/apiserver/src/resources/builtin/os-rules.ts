// What pods of one operating system may not have, and the options of Windows (k/k: validateOS, validateLinux,
// validateWindows, validateWindowsSecurityContextOptions, validateWindowsHostProcessPod).
import {
  byteLength,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Subdomain,
  notSupported,
  required,
  type FieldError,
} from "@fairlead/apimachinery";
import { getOwn, type JsonObject } from "@fairlead/base";
import { at, bool, has, obj, objs, str } from "./access.js";

/** A container of a pod, of whatever kind, and where it stands. */
export interface PlacedContainer {
  readonly container: JsonObject;
  readonly path: string;
}

/** All containers of a pod: those that run first, the others, and those that were put in later. */
export function allContainers(spec: JsonObject, path: string): readonly PlacedContainer[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((key) =>
    objs(spec, key).map((container, i) => ({ container, path: `${path}.${key}[${i}]` })),
  );
}

/** What is wrong with a pod's `os`, or with what a pod of that system has. */
export function osErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const system = obj(spec, "os");
  if (system === undefined) return [];
  const name = str(system, "name");
  switch (name) {
    case "":
      return [required(`${path}.os.name`)];
    case "linux":
      return linuxErrors(spec, path);
    case "windows":
      return windowsErrors(spec, path);
    default:
      return [notSupported(`${path}.os`, name, ["linux", "windows"])];
  }
}

function linuxErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const holders = [{ container: spec, path }, ...allContainers(spec, path)];
  return holders
    .filter(({ container }) => has(at(container, "securityContext"), "windowsOptions"))
    .map((holder) =>
      forbidden(`${holder.path}.securityContext.windowsOptions`, "windows options cannot be set for a linux pod"),
    );
}

const NOT_IN_WINDOWS_PODS: readonly string[] = [
  "securityContext.appArmorProfile",
  "securityContext.seLinuxOptions",
  "hostUsers",
  "hostPID",
  "hostIPC",
  "securityContext.seccompProfile",
  "securityContext.fsGroup",
  "securityContext.fsGroupChangePolicy",
  "securityContext.sysctls",
  "shareProcessNamespace",
  "securityContext.runAsUser",
  "securityContext.runAsGroup",
  "securityContext.supplementalGroups",
  "securityContext.supplementalGroupsPolicy",
  "securityContext.seLinuxChangePolicy",
];

const NOT_IN_WINDOWS_CONTAINERS: readonly string[] = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
];

function windowsErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const context = at(spec, "securityContext");
  const isSet = (name: string): boolean => {
    if (name === "hostPID" || name === "hostIPC") return bool(spec, name);
    const inside = /^securityContext\.(.*)$/.exec(name)?.[1];
    return inside === undefined ? has(spec, name) : has(context, inside);
  };
  const refused = (where: string): FieldError => forbidden(where, "cannot be set for a windows pod");
  return [
    ...NOT_IN_WINDOWS_PODS.filter(isSet).map((name) => refused(`${path}.${name}`)),
    ...allContainers(spec, path).flatMap((placed) =>
      NOT_IN_WINDOWS_CONTAINERS.filter((name) => has(at(placed.container, "securityContext"), name)).map((name) =>
        refused(`${placed.path}.securityContext.${name}`),
      ),
    ),
  ];
}

const GREATEST_SPEC_KIB = 64;
const DOMAIN_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const DOMAIN = new RegExp(`^${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})*$`);
const NET_BIOS_NAME = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;

/** What is wrong with the options of Windows in a security context. */
export function windowsOptionsErrors(options: JsonObject | undefined, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (has(options, "gmsaCredentialSpecName")) {
    const name = str(options, "gmsaCredentialSpecName");
    errors.push(...invalidEach(`${path}.gmsaCredentialSpecName`, name, isDns1123Subdomain(name)));
  }
  if (has(options, "gmsaCredentialSpec")) {
    const spec = str(options, "gmsaCredentialSpec");
    const where = `${path}.gmsaCredentialSpec`;
    if (spec === "") errors.push(invalid(where, spec, "gmsaCredentialSpec cannot be an empty string"));
    else if (byteLength(spec) > GREATEST_SPEC_KIB * 1024)
      errors.push(invalid(where, spec, `gmsaCredentialSpec size must be under ${GREATEST_SPEC_KIB} KiB`));
  }
  if (!has(options, "runAsUserName")) return errors;
  const name = str(options, "runAsUserName");
  return [
    ...errors,
    ...userNameProblems(name).map((problem) => invalid(`${path}.runAsUserName`, name, `runAsUserName${problem}`)),
  ];
}

/** What is wrong with `DOMAIN\user`. */
function userNameProblems(name: string): readonly string[] {
  if (name === "") return [" cannot be an empty string"];
  if (/[\u0000-\u001f\u007f]/.test(name)) return [" cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return [" cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  const domain = parts.length === 2 ? (parts[0] ?? "") : undefined;
  const out: string[] = [];
  if (domain !== undefined && byteLength(domain) >= 256) out.push("'s Domain length must be under 256 characters");
  if (domain !== undefined && !NET_BIOS_NAME.test(domain) && !DOMAIN.test(domain))
    out.push("'s Domain doesn't match the NetBios nor the DNS format");
  if (user === "") out.push("'s User cannot be empty");
  else if (byteLength(user) > 104) out.push("'s User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user)) out.push("'s User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) out.push(`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  return out;
}

/** Containers that are processes of a Windows host: all of a pod are, or none. */
export function hostProcessErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const wanted = (holder: JsonObject): boolean | undefined => {
    const value = getOwn(at(holder, "securityContext", "windowsOptions"), "hostProcess");
    return typeof value === "boolean" ? value : undefined;
  };
  const ofPod = wanted(spec);
  const containers = allContainers(spec, path);
  const errors: FieldError[] = [];
  let processes = 0;
  for (const placed of containers) {
    const own = wanted(placed.container);
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${String(ofPod)}`;
      errors.push(invalid(`${placed.path}.securityContext.windowsOptions.hostProcess`, own, detail));
    }
    if (own ?? ofPod ?? false) processes++;
  }
  if (processes === 0) return errors;
  if (processes !== containers.length) {
    const detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    errors.push(invalid(path, "", detail));
  }
  if (!bool(spec, "hostNetwork")) {
    const detail = "hostNetwork must be true if pod contains any hostProcess containers";
    errors.push(invalid(`${path}.hostNetwork`, false, detail));
  }
  return errors;
}
