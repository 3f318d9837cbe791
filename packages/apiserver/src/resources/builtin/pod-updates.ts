// What may change of a pod once it exists (k/k: ValidatePodUpdate, ValidatePodStatusUpdate).
import {
  duplicate,
  forbidden,
  inclusiveRange,
  internalError,
  invalid,
  invalidEach,
  isDns1123Subdomain,
  isQualifiedName,
  parseIp,
  required,
  validateImmutable,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, getOwn, type JsonObject, type JsonValue, type MutableJsonObject } from "@fairlead/base";
import { at, bool, entries, has, num, obj, objs, str } from "./access.js";
import { internalForm } from "./internal-form.js";
import { ipErrors } from "./pod-spec-rules.js";
import { GREATEST_INT32 } from "./rules.js";
import { tolerationErrors } from "./scheduling-rules.js";
import { textDiff } from "./text-diff.js";

const MIRROR = "kubernetes.io/config.mirror";
const ONLY_THESE =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** What is wrong with a change of a pod's spec, beyond what is wrong with the pod. */
export function podChangeErrors(pod: JsonObject, live: JsonObject): readonly FieldError[] {
  const spec = at(pod, "spec");
  const before = at(live, "spec");
  const errors: FieldError[] = [...mirrorErrors(pod, live)];
  for (const key of ["containers", "initContainers"]) {
    const after = objs(spec, key);
    if (after.length !== objs(before, key).length)
      return [...errors, forbidden(`spec.${key}`, "pod updates may not add or remove containers")];
    errors.push(...after.flatMap((container, i) => imageErrors(str(container, "image"), `spec.${key}[${i}].image`)));
  }
  const deadline = deadlineErrors(spec, before);
  errors.push(...deadline.errors);
  if (deadline.stop) return errors;
  errors.push(...tolerationChangeErrors(spec, before), ...gateErrors(spec, before));
  if (deepEqual(spec, before)) return errors;
  const munged = allowedChangesUndone(spec, before);
  if (objs(before, "schedulingGates").length > 0) errors.push(...gatedErrors(munged, spec, before));
  if (deepEqual(munged, before)) return errors;
  const diff = textDiff(internalForm(before, "core.PodSpec"), internalForm(munged, "core.PodSpec"));
  return [...errors, forbidden("spec", `${ONLY_THESE}\n${diff}`)];
}

function mirrorErrors(pod: JsonObject, live: JsonObject): readonly FieldError[] {
  const was = getOwn(at(live, "metadata", "annotations"), MIRROR);
  const is = getOwn(at(pod, "metadata", "annotations"), MIRROR);
  if (was === is) return [];
  const verb = was === undefined ? "add" : "remove or update";
  return [forbidden(`metadata.annotations[${MIRROR}]`, `may not ${verb} mirror pod annotation`)];
}

/** A pod's image is there, and without blanks around it. */
export function imageErrors(image: string, path: string): readonly FieldError[] {
  if (image === "") return [required(path)];
  return image.trim() === image ? [] : [invalid(path, image, "must not have leading or trailing whitespace")];
}

function deadlineErrors(
  spec: JsonObject,
  before: JsonObject,
): { readonly errors: readonly FieldError[]; readonly stop: boolean } {
  const path = "spec.activeDeadlineSeconds";
  const had = has(before, "activeDeadlineSeconds");
  if (!has(spec, "activeDeadlineSeconds")) {
    return {
      errors: had ? [invalid(path, null, "must not update from a positive integer to nil value")] : [],
      stop: false,
    };
  }
  const seconds = num(spec, "activeDeadlineSeconds");
  if (seconds < 0 || seconds > GREATEST_INT32)
    return { errors: [invalid(path, seconds, inclusiveRange(0, GREATEST_INT32))], stop: true };
  const longer = had && num(before, "activeDeadlineSeconds") < seconds;
  return {
    errors: longer ? [invalid(path, seconds, "must be less than or equal to previous value")] : [],
    stop: longer,
  };
}

function tolerationChangeErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const after = objs(spec, "tolerations").map(withoutSeconds);
  const kept = objs(before, "tolerations")
    .map(withoutSeconds)
    .every((old) => after.some((each) => deepEqual(each, old)));
  if (!kept)
    return [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
  return tolerationErrors(spec, "spec.tolerations");
}

function withoutSeconds({ tolerationSeconds: _seconds, ...rest }: JsonObject): JsonObject {
  return rest;
}

function gateErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const known = new Set(objs(before, "schedulingGates").map((gate) => str(gate, "name")));
  return objs(spec, "schedulingGates").flatMap((gate, i) => {
    const name = str(gate, "name");
    if (known.has(name)) return [];
    return [
      forbidden(`spec.schedulingGates[${i}].name`, `only deletion is allowed, but found new scheduling gate '${name}'`),
    ];
  });
}

/** The changed spec with the allowed changes taken back: what still differs is refused. */
function allowedChangesUndone(spec: JsonObject, before: JsonObject): MutableJsonObject {
  const munged: MutableJsonObject = { ...spec };
  for (const key of ["containers", "initContainers"]) {
    if (!has(spec, key)) continue;
    const old = objs(before, key);
    munged[key] = objs(spec, key).map((container, i) => withMember(container, "image", getOwn(old[i] ?? {}, "image")));
  }
  for (const key of ["activeDeadlineSeconds", "schedulingGates", "tolerations"]) restore(munged, before, key);
  const grace = "terminationGracePeriodSeconds";
  if (num(before, grace) < 0 && num(spec, grace) === 1) restore(munged, before, grace);
  return munged;
}

function withMember(object: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  const out: MutableJsonObject = { ...object };
  if (value === undefined) delete out[key];
  else out[key] = value;
  return out;
}

function restore(object: MutableJsonObject, from: JsonObject, key: string): void {
  const value = getOwn(from, key);
  if (value === undefined) delete object[key];
  else object[key] = value;
}

/** A pod that waits for its gates may be narrowed to fewer nodes; takes such changes back. */
function gatedErrors(munged: MutableJsonObject, spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const selector = obj(spec, "nodeSelector") ?? {};
  if (entries(before, "nodeSelector").some(([key, value]) => getOwn(selector, key) !== value)) {
    errors.push(
      invalid(
        "spec.nodeSelector",
        getOwn(spec, "nodeSelector") ?? null,
        "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
      ),
    );
  }
  restore(munged, before, "nodeSelector");
  const after = at(spec, "affinity", "nodeAffinity");
  const was = obj(at(before, "affinity"), "nodeAffinity");
  if (deepEqual(after, was ?? {})) return errors;
  errors.push(...nodeTermChangeErrors(after, was));
  const affinity: MutableJsonObject = { ...at(munged, "affinity") };
  restore(affinity, at(before, "affinity"), "nodeAffinity");
  if (Object.keys(affinity).length === 0 && !has(before, "affinity")) delete munged["affinity"];
  else munged["affinity"] = affinity;
  return errors;
}

const REQUIRED_TERMS = "requiredDuringSchedulingIgnoredDuringExecution";

function nodeTermChangeErrors(after: JsonObject, before: JsonObject | undefined): readonly FieldError[] {
  const path = `spec.affinity.nodeAffinity.${REQUIRED_TERMS}.nodeSelectorTerms`;
  const old = objs(at(before, REQUIRED_TERMS), "nodeSelectorTerms");
  const terms = objs(at(after, REQUIRED_TERMS), "nodeSelectorTerms");
  if (old.length === 0) return [];
  if (old.length !== terms.length)
    return [
      invalid(
        path,
        internalForm([...terms], "[]core.NodeSelectorTerm"),
        "no additions/deletions to non-empty NodeSelectorTerms list are allowed",
      ),
    ];
  return old.flatMap((term, i) => {
    const now = terms[i] ?? {};
    return onlyAdds(now, term)
      ? []
      : [
          invalid(
            `${path}[${i}]`,
            internalForm(now, "core.NodeSelectorTerm"),
            "only additions are allowed (no mutations or deletions)",
          ),
        ];
  });
}

function onlyAdds(after: JsonObject, before: JsonObject): boolean {
  const keys = ["matchExpressions", "matchFields"];
  if (keys.every((key) => objs(before, key).length === 0)) return keys.every((key) => objs(after, key).length === 0);
  return keys.every((key) =>
    objs(before, key).every((requirement, i) => deepEqual(objs(after, key)[i] ?? null, requirement)),
  );
}

const SYSTEM_CONDITIONS: ReadonlySet<string> = new Set(["PodScheduled", "Ready", "Initialized"]);

/** What is wrong with a change of a pod's status. */
export function podStatusErrors(pod: JsonObject, live: JsonObject): readonly FieldError[] {
  const status = at(pod, "status");
  const before = at(live, "status");
  const errors: FieldError[] = [...mirrorErrors(pod, live)];
  for (const [i, condition] of objs(status, "conditions").entries()) {
    const type = str(condition, "type");
    if (num(condition, "observedGeneration") < 0) {
      errors.push(
        invalid(
          `status.conditions[${i}].observedGeneration`,
          num(condition, "observedGeneration"),
          "must be a non-negative integer",
        ),
      );
    }
    if (!SYSTEM_CONDITIONS.has(type))
      errors.push(...invalidEach(`status.conditions[${i}].Type`, type, isQualifiedName(type)));
  }
  const nominated = str(status, "nominatedNodeName");
  if (nominated !== str(before, "nominatedNodeName") && nominated !== "") {
    errors.push(...invalidEach("status.nominatedNodeName", nominated, isDns1123Subdomain(nominated)));
    if (str(at(live, "spec"), "nodeName") !== "")
      errors.push(forbidden("status.nominatedNodeName", "may not be set on pods that are already bound to a node"));
  }
  if (num(status, "observedGeneration") < 0)
    errors.push(
      invalid("status.observedGeneration", num(status, "observedGeneration"), "must be a non-negative integer"),
    );
  errors.push(...validateImmutable(str(status, "qosClass"), str(before, "qosClass"), "status.qosClass"));
  errors.push(...transitionErrors(status, before, at(live, "spec")));
  errors.push(...resourceClaimErrors(status, at(pod, "spec")));
  return [...errors, ...addressErrors(status, before, "podIPs"), ...hostAddressErrors(status, before)];
}

/** The claims that were made for the claims of the spec. */
function resourceClaimErrors(status: JsonObject, spec: JsonObject): readonly FieldError[] {
  const known = new Set(objs(spec, "resourceClaims").map((claim) => str(claim, "name")));
  const seen = new Set<string>();
  return objs(status, "resourceClaimStatuses").flatMap((each, i) => {
    const where = `status.resourceClaimStatuses[${i}]`;
    const name = str(each, "name");
    const claim = str(each, "resourceClaimName");
    const repeated = seen.has(name);
    seen.add(name);
    return [
      ...(known.has(name)
        ? []
        : [invalid(`${where}.name`, name, "must match the name of an entry in `spec.resourceClaims`")]),
      ...(repeated ? [duplicate(`${where}.name`, name)] : []),
      ...(has(each, "resourceClaimName")
        ? invalidEach(`${where}.resourceClaimName`, claim, isDns1123Subdomain(claim))
        : []),
    ];
  });
}

/** Containers that ended stay so, where they are not restarted. */
function transitionErrors(status: JsonObject, before: JsonObject, spec: JsonObject): readonly FieldError[] {
  if (str(spec, "restartPolicy") === "Always") return [];
  return ["containerStatuses", "initContainerStatuses"].flatMap((key) =>
    objs(before, key).flatMap((old, i) => {
      const ended = obj(at(old, "state"), "terminated");
      if (ended === undefined) return [];
      if (num(ended, "exitCode") !== 0 && str(spec, "restartPolicy") === "OnFailure") return [];
      const now = objs(status, key).find((each) => str(each, "name") === str(old, "name"));
      const revived = now !== undefined && !has(at(now, "state"), "terminated");
      return revived && !isSidecar(spec, str(old, "name"))
        ? [forbidden(`status.${key}[${i}].state`, "may not be transitioned to non-terminated state")]
        : [];
    }),
  );
}

function isSidecar(spec: JsonObject, name: string): boolean {
  return objs(spec, "initContainers").some(
    (container) => str(container, "name") === name && str(container, "restartPolicy") === "Always",
  );
}

/** New addresses are such, and no more than one of each family. */
function addressErrors(status: JsonObject, before: JsonObject, key: string): readonly FieldError[] {
  const addresses = objs(status, key);
  const known = new Set(objs(before, key).map((each) => str(each, "ip")));
  const errors = addresses.flatMap((each, i) =>
    known.has(str(each, "ip")) ? [] : ipErrors(str(each, "ip"), `status.${key}[${i}]`),
  );
  if (addresses.length < 2) return errors;
  const texts = addresses.map((each) => str(each, "ip"));
  const bad = texts.findIndex((text) => parseIp(text) === undefined);
  const both = new Set(texts.map((text) => parseIp(text)?.bits)).size === 2 && bad < 0;
  const unclear = `failed to check for dual stack with error:invalid IP[${bad}]: ${texts[bad] ?? ""}`;
  return [
    ...errors,
    ...(bad < 0 ? [] : [internalError(`status.${key}`, unclear)]),
    ...(both && addresses.length === 2
      ? []
      : [
          invalid(
            `status.${key}`,
            texts.map((IP) => ({ IP })),
            "may specify no more than one IP for each IP family",
          ),
        ]),
  ];
}

function hostAddressErrors(status: JsonObject, before: JsonObject): readonly FieldError[] {
  const [first] = objs(status, "hostIPs");
  if (first === undefined) return [];
  const same = str(first, "ip") === str(status, "hostIP");
  const errors = same ? [] : [invalid("status.hostIPs[0].ip", str(first, "ip"), "must be equal to `hostIP`")];
  return [...errors, ...addressErrors(status, before, "hostIPs")];
}

/** Whether a pod runs on the host's network; so it is printed by a field selector. */
export function hostNetworkText(pod: JsonObject): string {
  return String(bool(at(pod, "spec"), "hostNetwork"));
}
