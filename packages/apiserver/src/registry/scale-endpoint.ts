import { builtinSchema, goForm } from "@fairlead/apimachinery";

import type { ResourceInfo, ResourceStrategy } from "../resources/resource.js";
import type { Endpoint } from "./endpoint.js";

/** The apiVersion of every Scale that is served. */
export const SCALE_VERSION = "autoscaling/v1";

const INFO: ResourceInfo = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  resource: "scale",
  singular: "",
  listKind: "",
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ["get", "update", "patch"],
  hasStatus: false,
  otherSubresources: [],
  tracksGeneration: false,
  allowsUnconditionalUpdate: true,
  allowsCreateOnUpdate: false,
  returnsDeletedObject: false,
  defaultPropagation: "Background",
  custom: false,
};

const STRATEGY: ResourceStrategy = {
  info: INFO,
  get schema() {
    return builtinSchema("autoscaling.v1.Scale");
  },
  applyDefaults: (object) => {
    goForm(object, builtinSchema("autoscaling.v1.Scale"));
  },
  validateCreate: () => [],
  validateUpdate: () => [],
  columns: [],
  cells: () => [],
  selectableFields: new Map(),
};

/** What decodes and tracks a Scale as if it were a kind of its own. Nothing is stored under it. */
export const SCALE_ENDPOINT: Endpoint = {
  strategy: STRATEGY,
  collection: "autoscaling/scale",
  storageVersion: SCALE_VERSION,
  versions: new Map([[SCALE_VERSION, STRATEGY]]),
  conversion: { kind: "local", convert: (object) => object },
};
