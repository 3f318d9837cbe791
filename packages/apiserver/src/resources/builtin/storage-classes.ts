// The kinds of storage.k8s.io (k/k: pkg/apis/storage/validation).
import {
  duplicate,
  FIELD_IS_IMMUTABLE,
  findQuantity,
  forbidden,
  inclusiveRange,
  invalid,
  invalidEach,
  isDns1123Subdomain,
  nameIsDnsSubdomain,
  notSupported,
  required,
  sameValue,
  tooLong,
  validateLabelName,
  validateLabelSelector,
  type FieldError,
} from "@fairlead/apimachinery";
import { deepEqual, getOwn, type JsonObject } from "@fairlead/base";
import type { ResourceStrategy } from "../resource.js";
import { at, entries, has, num, obj, objs, str, strs } from "./access.js";
import { GREATEST_INT32, nonNegativeMember } from "./rules.js";
import { builtinStrategy } from "./strategy.js";
import { csiDriverNameErrors, qualifiedNameErrors } from "./volume-sources.js";

const GROUP = "storage.k8s.io/v1";
const MOST_PARAMETERS = 512;
const LONGEST_PARAMETERS = 256 * 1024;
const LONGEST_METADATA = 256 * 1024;
const LONGEST_NODE_ID = 256;
const SHORTEST_TOKEN_SECONDS = 600;

/** The strategies of these kinds. */
export function storageStrategies(): readonly ResourceStrategy[] {
  return [
    builtinStrategy(`${GROUP}/StorageClass`, {
      validateName: nameIsDnsSubdomain,
      validateCreate: classErrors,
      validateUpdate: (object, live) => [
        ...classErrors(object),
        ...["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"].flatMap((key) =>
          immutable(object, live, key),
        ),
      ],
    }),
    builtinStrategy(`${GROUP}/CSIDriver`, {
      validateCreate: (object) => driverErrors(at(object, "spec")),
      validateUpdate: (object, live) => [
        ...driverErrors(at(object, "spec")),
        ...fixed(at(object, "spec"), at(live, "spec"), "attachRequired", "spec.attachedRequired"),
        ...fixed(at(object, "spec"), at(live, "spec"), "volumeLifecycleModes", "spec.volumeLifecycleModes"),
      ],
    }),
    builtinStrategy(`${GROUP}/CSINode`, {
      validateCreate: (object) => nodeErrors(at(object, "spec")),
      validateUpdate: (object, live) => [
        ...nodeErrors(at(object, "spec")),
        ...nodeChangeErrors(at(object, "spec"), at(live, "spec")),
      ],
    }),
    builtinStrategy(`${GROUP}/CSIStorageCapacity`, {
      validateCreate: capacityErrors,
      validateUpdate: (object, live) => [
        ...immutable(object, live, "nodeTopology"),
        ...immutable(object, live, "storageClassName"),
      ],
    }),
    builtinStrategy(`${GROUP}/VolumeAttachment`, {
      validateCreate: attachmentErrors,
      validateUpdate: (object, live) => {
        const same = deepEqual(at(object, "spec"), at(live, "spec"));
        return [
          ...attachmentErrors(object),
          ...(same ? [] : [invalid("spec", at(object, "spec"), FIELD_IS_IMMUTABLE)]),
        ];
      },
      validateStatusUpdate: attachmentErrors,
    }),
    builtinStrategy(`${GROUP}/VolumeAttributesClass`, {
      validateCreate: attributesErrors,
      validateUpdate: (object, live) => [
        ...["driverName", "parameters"].flatMap((key) =>
          sameValue(getOwn(object, key), getOwn(live, key)) ? [] : [forbidden(key, `updates to ${key} are forbidden.`)],
        ),
        ...attributesErrors(object),
      ],
    }),
  ];
}

function fixed(object: JsonObject, live: JsonObject, key: string, path: string): readonly FieldError[] {
  return sameValue(getOwn(object, key), getOwn(live, key))
    ? []
    : [invalid(path, getOwn(object, key) ?? null, FIELD_IS_IMMUTABLE)];
}

function immutable(object: JsonObject, live: JsonObject, key: string): readonly FieldError[] {
  return fixed(object, live, key, key);
}

function provisionerErrors(name: string, path: string): readonly FieldError[] {
  return name === "" ? [required(path)] : qualifiedNameErrors(name.toLowerCase(), path);
}

function parameterErrors(object: JsonObject, mayBeEmpty: boolean): readonly FieldError[] {
  const parameters = entries(object, "parameters");
  if (parameters.length > MOST_PARAMETERS) return [tooLong("parameters", MOST_PARAMETERS)];
  const size = parameters.reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
  return [
    ...parameters.filter(([key]) => key === "").map(([key]) => invalid("parameters", key, "field can not be empty.")),
    ...(size > LONGEST_PARAMETERS ? [tooLong("parameters", LONGEST_PARAMETERS)] : []),
    ...(!mayBeEmpty && parameters.length === 0
      ? [required("parameters", "must contain at least one key/value pair")]
      : []),
  ];
}

function classErrors(object: JsonObject): readonly FieldError[] {
  const policy = str(object, "reclaimPolicy");
  const mode = str(object, "volumeBindingMode");
  const modes = ["Immediate", "WaitForFirstConsumer"];
  return [
    ...provisionerErrors(str(object, "provisioner"), "provisioner"),
    ...parameterErrors(object, true),
    ...(policy === "" || policy === "Delete" || policy === "Retain"
      ? []
      : [notSupported("reclaimPolicy", policy, ["Delete", "Retain"])]),
    ...(!has(object, "volumeBindingMode")
      ? [required("volumeBindingMode")]
      : modes.includes(mode)
        ? []
        : [notSupported("volumeBindingMode", mode, modes)]),
    ...topologyErrors(objs(object, "allowedTopologies")),
  ];
}

function topologyErrors(terms: readonly JsonObject[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  // Kubernetes compares with as many empty terms as there are terms, so an empty one is a duplicate of each of those.
  const seen = terms.map(() => "");
  for (const [i, term] of terms.entries()) {
    const path = `allowedTopologies[${i}]`;
    const values = new Map();
    for (const [j, expression] of objs(term, "matchLabelExpressions").entries()) {
      const key = str(expression, "key");
      errors.push(...topologyExpressionErrors(expression, `${path}.matchLabelExpressions[${j}]`));
      if (values.has(key)) errors.push(duplicate(`${path}.matchLabelExpressions[${j}].key`, key));
      values.set(key, JSON.stringify([...new Set(strs(expression, "values"))].sort()));
    }
    const text = [...values].sort().flat().join("\n");
    errors.push(...seen.filter((other) => other === text).map(() => duplicate(`${path}.matchLabelExpressions`, "")));
    seen.push(text);
  }
  return errors;
}

function topologyExpressionErrors(expression: JsonObject, path: string): readonly FieldError[] {
  const values = strs(expression, "values");
  return [
    ...(values.length === 0 ? [required(`${path}.values`)] : []),
    ...values.flatMap((value, k) => (values.indexOf(value) < k ? [duplicate(`${path}.values[${k}]`, value)] : [])),
    ...validateLabelName(str(expression, "key"), `${path}.key`),
  ];
}

function driverErrors(spec: JsonObject): readonly FieldError[] {
  const policy = str(spec, "fsGroupPolicy");
  const policies = ["File", "None", "ReadWriteOnceWithFSType"];
  const period = num(spec, "nodeAllocatableUpdatePeriodSeconds");
  const needed = (key: string, shown: string): readonly FieldError[] =>
    has(spec, key) ? [] : [required(`spec.${shown}`)];
  const inSecrets = has(spec, "serviceAccountTokenInSecrets") && objs(spec, "tokenRequests").length === 0;
  return [
    ...needed("attachRequired", "attachedRequired"),
    ...needed("podInfoOnMount", "podInfoOnMount"),
    ...needed("storageCapacity", "storageCapacity"),
    ...(has(spec, "fsGroupPolicy") && !policies.includes(policy)
      ? [notSupported("spec.fsGroupPolicy", policy, policies)]
      : []),
    ...tokenErrors(objs(spec, "tokenRequests")),
    ...strs(spec, "volumeLifecycleModes").flatMap((mode) =>
      mode === "Persistent" || mode === "Ephemeral"
        ? []
        : [notSupported("spec.volumeLifecycleModes", mode, ["Persistent", "Ephemeral"])],
    ),
    ...needed("seLinuxMount", "seLinuxMount"),
    ...(has(spec, "nodeAllocatableUpdatePeriodSeconds") && period < 10
      ? [invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, "must be greater than or equal to 10 seconds")]
      : []),
    ...(inSecrets
      ? [
          invalid(
            "spec.serviceAccountTokenInSecrets",
            getOwn(spec, "serviceAccountTokenInSecrets") ?? null,
            "serviceAccountTokenInSecrets is set but no tokenRequests are specified",
          ),
        ]
      : []),
  ];
}

function tokenErrors(requests: readonly JsonObject[]): readonly FieldError[] {
  const audiences = new Set<string>();
  return requests.flatMap((request, i) => {
    const path = `spec.tokenRequests[${i}]`;
    const audience = str(request, "audience");
    if (audiences.has(audience)) return [duplicate(`${path}.audience`, audience)];
    audiences.add(audience);
    const seconds = num(request, "expirationSeconds");
    if (!has(request, "expirationSeconds")) return [];
    if (seconds < SHORTEST_TOKEN_SECONDS)
      return [invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes")];
    return seconds > 2 ** 32
      ? [invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds")]
      : [];
  });
}

function nodeErrors(spec: JsonObject): readonly FieldError[] {
  const names = new Set<string>();
  return objs(spec, "drivers").flatMap((driver, i) => {
    const path = `spec.drivers[${i}]`;
    const name = str(driver, "name");
    const id = str(driver, "nodeID");
    const repeated = names.has(name) ? [duplicate(`${path}.name`, name)] : [];
    names.add(name);
    const keys = strs(driver, "topologyKeys");
    return [
      ...csiDriverNameErrors(name, `${path}.name`),
      ...(id === ""
        ? [required(`${path}.nodeID`)]
        : id.length > LONGEST_NODE_ID
          ? [invalid(`${path}.nodeID`, id, `must be ${LONGEST_NODE_ID} characters or less`)]
          : []),
      ...nonNegativeMember(at(driver, "allocatable"), "count", `${path}.allocatable`),
      ...repeated,
      ...keys.flatMap((key, k) => [
        ...(key === "" ? [required(path)] : []),
        ...(keys.indexOf(key) < k ? [duplicate(path, key)] : []),
        ...qualifiedNameErrors(key, path),
      ]),
    ];
  });
}

function nodeChangeErrors(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const bare = ({ allocatable: _count, ...driver }: JsonObject): JsonObject => driver;
  return objs(before, "drivers").flatMap((old) => {
    const driver = objs(spec, "drivers").find((each) => str(each, "name") === str(old, "name"));
    if (driver === undefined || deepEqual(bare(driver), bare(old))) return [];
    const shown = {
      Name: str(driver, "name"),
      NodeID: str(driver, "nodeID"),
      TopologyKeys: getOwn(driver, "topologyKeys") ?? null,
      Allocatable: null,
    };
    return [invalid("spec.drivers", shown, FIELD_IS_IMMUTABLE)];
  });
}

function capacityErrors(object: JsonObject): readonly FieldError[] {
  const name = str(object, "storageClassName");
  const quantity = findQuantity(str(object, "capacity"));
  const negative = quantity !== undefined && quantity.mantissa < 0n;
  return [
    ...validateLabelSelector(obj(object, "nodeTopology"), "nodeTopology"),
    ...invalidEach("storageClassName", name, isDns1123Subdomain(name)),
    ...(negative ? [invalid("capacity", str(object, "capacity"), "must be greater than or equal to 0")] : []),
  ];
}

function attachmentErrors(object: JsonObject): readonly FieldError[] {
  const spec = at(object, "spec");
  const status = at(object, "status");
  const volume = str(at(spec, "source"), "persistentVolumeName");
  const node = str(spec, "nodeName");
  const size = entries(status, "attachmentMetadata").reduce(
    (sum, [key, value]) => sum + key.length + String(value).length,
    0,
  );
  return [
    ...csiDriverNameErrors(str(spec, "attacher"), "spec.attacher"),
    ...attachmentSourceErrors(at(spec, "source")),
    ...invalidEach("spec.nodeName", node, isDns1123Subdomain(node)),
    ...(size > LONGEST_METADATA ? [tooLong("status.attachmentMetadata", LONGEST_METADATA)] : []),
    ...["attachError", "detachError"].flatMap((key) => attachErrors(obj(status, key), `status.${key}`)),
    ...(has(at(spec, "source"), "persistentVolumeName")
      ? invalidEach("spec.source.persistentVolumeName", volume, isDns1123Subdomain(volume))
      : []),
  ];
}

function attachErrors(error: JsonObject | undefined, path: string): readonly FieldError[] {
  if (error === undefined) return [];
  const code = num(error, "errorCode");
  return [
    ...(str(error, "message").length > 1024 ? [tooLong(`${path}.message`, LONGEST_METADATA)] : []),
    ...(code < 0 ? [invalid(`${path}.errorCode`, code, inclusiveRange(0, GREATEST_INT32))] : []),
  ];
}

function attachmentSourceErrors(source: JsonObject): readonly FieldError[] {
  const path = "spec.source";
  const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  const [inline, named] = [has(source, "inlineVolumeSpec"), has(source, "persistentVolumeName")];
  if (!inline && !named) return [required(path, one)];
  if (inline && named) return [forbidden(path, one)];
  return named && str(source, "persistentVolumeName") === ""
    ? [required(`${path}.persistentVolumeName`, "must specify non empty persistentVolumeName")]
    : [];
}

function attributesErrors(object: JsonObject): readonly FieldError[] {
  return [...provisionerErrors(str(object, "driverName"), "driverName"), ...parameterErrors(object, false)];
}
