import { allTypes, type OpenApiDocument, type OpenApiSchema } from "./documents.js";
import { HEADER } from "./types-module.js";

const REF = "#/components/schemas/";
const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";

/** Types that are no interface of ours: how they are written. */
const WRITTEN: ReadonlyMap<string, string> = new Map([
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", "Quantity"],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", "IntOrString"],
  ["io.k8s.apimachinery.pkg.runtime.RawExtension", "unknown"],
  [`${META}FieldsV1`, "JsonObject"],
  [`${META}MicroTime`, "string"],
  [`${META}Time`, "string"],
  [`${EXTENSIONS}JSON`, "unknown"],
  [`${EXTENSIONS}JSONSchemaProps`, "Readonly<Record<string, unknown>>"],
]);

const SCALARS = `${HEADER}
/** An amount as Kubernetes writes it: \`500m\`, \`1Gi\`, or a number. */
export type Quantity = string | number;

/** A count, or a share such as \`25%\`; a port, or its name. */
export type IntOrString = number | string;
`;

/** Types that packages/apimachinery has. */
const OF_APIMACHINERY: ReadonlySet<string> = new Set([
  "Condition",
  "ManagedFieldsEntry",
  "ObjectMeta",
  "OwnerReference",
]);

/** Members of every Condition. */
const CONDITION = ["type", "status", "reason", "message", "lastTransitionTime", "observedGeneration"];

/** Pointers without `omitempty`: what is absent is printed as null. */
const PRINTED_NULL: ReadonlySet<string> = new Set(["PodCondition.lastProbeTime"]);

/** A kind's place: what a descriptor says. */
interface Served {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

/** The text of the modules with the types and descriptors of the built-in kinds, by file name: one for each version. */
export function kindsModules(documents: ReadonlyMap<string, OpenApiDocument>): ReadonlyMap<string, string> {
  const types = allTypes(documents);
  const served = servedKinds(documents);
  const modules = new Map<string, Module>();
  const open = [...types].filter(([name, schema]) => isKind(name, schema)).map(([name]) => name);
  const seen = new Set(open);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const schema = types.get(name);
    if (schema === undefined) throw new Error(`There is no type ${name}.`);
    const file = fileOf(name);
    const module = modules.get(file) ?? new Module(file);
    modules.set(file, module);
    module.add(name, schema, isKind(name, schema) ? servedOf(schema, served) : undefined);
    for (const used of usedBy(schema)) {
      if (seen.has(used) || isWritten(used)) continue;
      seen.add(used);
      open.push(used);
    }
  }
  const texts = [...modules].map(([file, module]) => [`${file}.ts`, module.text()] as const);
  return new Map([...texts, ["scalars.ts", SCALARS] as const].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** One file: the types of one version of one group. */
class Module {
  readonly #file: string;
  readonly #parts = new Map<string, string>();
  readonly #imports = new Map<string, Set<string>>();
  #descriptors = false;

  constructor(file: string) {
    this.#file = file;
  }

  add(name: string, schema: OpenApiSchema, served: Served | undefined): void {
    const own = shortName(name);
    const kind = isKind(name, schema);
    const conditions = own.endsWith("Condition") && CONDITION.slice(0, 2).every((key) => schema.properties?.[key]);
    const base = kind ? "KubernetesObject" : conditions ? "Condition" : "";
    if (base !== "") this.#use("@fairlead/apimachinery", base);
    const inherited = kind ? ["apiVersion", "kind", "metadata"] : conditions ? CONDITION : [];
    const members = Object.entries(schema.properties ?? {})
      .filter(([key]) => !inherited.includes(key))
      .map(([key, property]) => this.#member(own, key, property, schema.required?.includes(key) === true));
    const title = comment(schema, "");
    const body = members.length === 0 ? "{}" : `{\n${members.join("")}}`;
    let text = `${title}export interface ${own}${base === "" ? "" : ` extends ${base}`} ${body}\n`;
    if (members.length === 0)
      text = `${title}export type ${own} = ${base === "" ? "Readonly<Record<string, never>>" : base};\n`;
    if (served !== undefined) {
      this.#descriptors = true;
      const { group, version, kind: word, resource, namespaced } = served;
      const place = JSON.stringify({ group, version, kind: word, resource, namespaced }).replace(/"(\w+)":/g, "$1: ");
      text += `export const ${own}: ResourceKind<${own}> = resourceKind(${place});\n`;
    }
    this.#parts.set(own, text);
  }

  text(): string {
    const lines = [...this.#imports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([from, names]) => `import type { ${[...names].sort().join(", ")} } from "${from}";\n`);
    if (this.#descriptors)
      lines.push(`import { resourceKind, type ResourceKind } from "../request/resource-kind.js";\n`);
    const parts = [...this.#parts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
    return `${HEADER}\n${lines.join("")}\n${parts.join("\n")}`;
  }

  #member(owner: string, key: string, property: OpenApiSchema, required: boolean): string {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    const orNull = PRINTED_NULL.has(`${owner}.${key}`) ? " | null" : "";
    return `${comment(property, "  ")}  readonly ${name}${required ? "" : "?"}: ${this.#typeOf(property)}${orNull};\n`;
  }

  #typeOf(schema: OpenApiSchema): string {
    const ref = refOf(schema);
    if (ref !== undefined) return this.#named(ref);
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    switch (schema.type) {
      case "string":
        return "string";
      case "integer":
      case "number":
        return "number";
      case "boolean":
        return "boolean";
      case "array": {
        const item = this.#typeOf(schema.items ?? {});
        return `readonly ${item.includes("|") ? `(${item})` : item}[]`;
      }
      case "object":
        if (schema.additionalProperties !== undefined)
          return `Readonly<Record<string, ${this.#typeOf(schema.additionalProperties)}>>`;
        return "Readonly<Record<string, unknown>>";
      default:
        this.#use("@fairlead/base", "JsonValue");
        return "JsonValue";
    }
  }

  #named(name: string): string {
    const written = WRITTEN.get(name);
    if (written !== undefined) {
      if (written === "Quantity" || written === "IntOrString") this.#use("./scalars.js", written);
      if (written.startsWith("Json")) this.#use("@fairlead/base", written);
      return written;
    }
    const own = shortName(name);
    if (name.startsWith(META) && OF_APIMACHINERY.has(own)) {
      this.#use("@fairlead/apimachinery", own);
      return own === "ObjectMeta" ? "Partial<ObjectMeta>" : own;
    }
    const file = fileOf(name);
    if (file !== this.#file) this.#use(`./${file}.js`, own);
    return own;
  }

  #use(from: string, name: string): void {
    const names = this.#imports.get(from) ?? new Set();
    this.#imports.set(from, names.add(name));
  }
}

function isKind(name: string, schema: OpenApiSchema): boolean {
  const [gvk, ...others] = schema["x-kubernetes-group-version-kind"] ?? [];
  return gvk !== undefined && others.length === 0 && !name.startsWith(META) && !name.endsWith("List");
}

function isWritten(name: string): boolean {
  return WRITTEN.has(name) || (name.startsWith(META) && OF_APIMACHINERY.has(shortName(name)));
}

function usedBy(schema: OpenApiSchema): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([, property]) => refsIn(property));
}

function refsIn(schema: OpenApiSchema): readonly string[] {
  const ref = refOf(schema);
  const below = [schema.items, schema.additionalProperties].filter((inner) => inner !== undefined);
  return [...(ref === undefined ? [] : [ref]), ...below.flatMap(refsIn)];
}

function refOf(schema: OpenApiSchema): string | undefined {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return ref?.startsWith(REF) === true ? ref.slice(REF.length) : undefined;
}

function shortName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

/** `apps-v1`; types of no group that is served are beside those of meta/v1. */
function fileOf(name: string): string {
  const [version = "", group = ""] = name.split(".").slice(0, -1).reverse();
  return `${group}-${version}`;
}

function servedOf(schema: OpenApiSchema, served: ReadonlyMap<string, Served>): Served | undefined {
  const [gvk] = schema["x-kubernetes-group-version-kind"] ?? [];
  return gvk === undefined ? undefined : served.get(`${gvk.group}/${gvk.version}/${gvk.kind}`);
}

interface Operation {
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  };
}

/** The kinds that can be listed or posted, by `group/version/Kind`. */
function servedKinds(documents: ReadonlyMap<string, OpenApiDocument>): ReadonlyMap<string, Served> {
  const out = new Map<string, Served>();
  for (const document of documents.values()) {
    for (const [path, item] of Object.entries(document.paths as Record<string, Record<string, Operation>>)) {
      const place = /^\/apis?\/(?:[^/]+\/)?[^/]+\/(namespaces\/\{namespace\}\/)?([^/{}]+)\/?$/.exec(path);
      const gvk = item["post"]?.["x-kubernetes-group-version-kind"] ?? item["get"]?.["x-kubernetes-group-version-kind"];
      if (place?.[2] === undefined || gvk === undefined) continue;
      const key = `${gvk.group}/${gvk.version}/${gvk.kind}`;
      const namespaced = place[1] !== undefined;
      if (namespaced || !out.has(key)) out.set(key, { ...gvk, resource: place[2], namespaced });
    }
  }
  return out;
}

/** The first sentence of a description. */
function comment({ description }: OpenApiSchema & { readonly description?: string }, indent: string): string {
  const [line = ""] = (description ?? "").split("\n");
  const sentence = /^.*?[.](?= [A-Z]|$)/.exec(line)?.[0] ?? line;
  if (sentence === "") return "";
  const text = `${indent}/** ${sentence.replaceAll("*/", "* /")} */`;
  return text.length <= 118
    ? `${text}\n`
    : `${indent}/**\n${wrapped(sentence.replaceAll("*/", "* /"), indent)}${indent} */\n`;
}

function wrapped(text: string, indent: string): string {
  let out = "";
  let line = `${indent} *`;
  for (const word of text.split(" ")) {
    if (line.length + word.length >= 118 && line.length > indent.length + 2) {
      out += `${line}\n`;
      line = `${indent} *`;
    }
    line += ` ${word}`;
  }
  return `${out}${line}\n`;
}
