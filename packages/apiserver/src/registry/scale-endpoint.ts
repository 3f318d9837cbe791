import { getPath } from "@fairlead/base";
import { builtinSchema, goForm } from "@fairlead/apimachinery";

import { AGE_COLUMN, ageOf, NAME_COLUMN, nameCell } from "../resources/builtin/cells.js";
import type { ResourceInfo, ResourceStrategy, TableColumn } from "../resources/resource.js";
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

function column(name: string, description: string): TableColumn {
  return { name, type: "integer", format: "", description, priority: 0 };
}

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
  columns: [
    NAME_COLUMN,
    column("Desired", "replicas is the desired number of instances for the scaled object."),
    column("Available", "replicas is the actual number of observed instances of the scaled object."),
    AGE_COLUMN,
  ],
  cells: (scale, context) => [
    nameCell(scale),
    getPath(scale, "spec", "replicas") ?? 0,
    getPath(scale, "status", "replicas") ?? 0,
    ageOf(scale, context),
  ],
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
