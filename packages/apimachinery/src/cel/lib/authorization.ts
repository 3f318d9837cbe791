// What expressions of admission ask of an authorizer (apiserver: pkg/cel/library/authz.go). Only the types: there is no
// value that these could be called on unless somebody hands in an authorizer.
import { declare, member, type Library } from "../check/declarations.js";
import { BOOL, STRING, structType, type CelType } from "../check/types.js";

const named = (name: string): CelType => structType(`kubernetes.authorization.${name}`);

export const AUTHORIZER: CelType = named("Authorizer");
const PATH = named("PathCheck");
const GROUP = named("GroupCheck");
const RESOURCE = named("ResourceCheck");
const DECISION = named("Decision");
const S = STRING;

export const AUTHORIZATION_LIBRARY: Library = [
  declare("path", member("authorizer_path", [AUTHORIZER, S], PATH)),
  declare("group", member("authorizer_group", [AUTHORIZER, S], GROUP)),
  declare("serviceAccount", member("authorizer_serviceaccount", [AUTHORIZER, S, S], AUTHORIZER)),
  declare("resource", member("groupcheck_resource", [GROUP, S], RESOURCE)),
  declare("subresource", member("resourcecheck_subresource", [RESOURCE, S], RESOURCE)),
  declare("namespace", member("resourcecheck_namespace", [RESOURCE, S], RESOURCE)),
  declare("name", member("resourcecheck_name", [RESOURCE, S], RESOURCE)),
  declare("fieldSelector", member("authorizer_fieldselector", [RESOURCE, S], RESOURCE)),
  declare("labelSelector", member("authorizer_labelselector", [RESOURCE, S], RESOURCE)),
  declare(
    "check",
    member("pathcheck_check", [PATH, S], DECISION),
    member("resourcecheck_check", [RESOURCE, S], DECISION),
  ),
  declare("errored", member("decision_errored", [DECISION], BOOL)),
  declare("error", member("decision_error", [DECISION], S)),
  declare("allowed", member("decision_allowed", [DECISION], BOOL)),
  declare("reason", member("decision_reason", [DECISION], S)),
];
