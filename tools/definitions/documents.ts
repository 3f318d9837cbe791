import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject, type JsonValue } from "@fairlead/base";
import { parseYamlDocuments, YamlError } from "@fairlead/apimachinery/yaml";

/** An object of a file. */
export interface Document {
  readonly file: string;
  readonly object: JsonObject;
}

/** The folder that Go keeps a module in; it is downloaded when it is not there. @throws Error when it cannot be had */
export function moduleFolder(module: string): string {
  const said = execFileSync("go", ["mod", "download", "-json", module], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return (JSON.parse(said) as { readonly Dir: string }).Dir;
}

/** The objects in the YAML of files and folders. What holds none (a template, a file of values) is passed over. */
export function documentsOf(folder: string, places: readonly string[]): readonly Document[] {
  return places.flatMap((place) => filesOf(join(folder, place)).flatMap(objectsOf));
}

function filesOf(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)))
    .filter((file) => /\.ya?ml$/.test(file));
}

function objectsOf(file: string): readonly Document[] {
  return documents(readFileSync(file, "utf8")).flatMap(({ value }) => {
    if (!isObject(value) || typeof value["kind"] !== "string" || typeof value["apiVersion"] !== "string") return [];
    if (value["kind"] !== "List") return [{ file, object: value }];
    return (value["items"] as readonly JsonObject[]).map((object) => ({ file, object }));
  });
}

/** The documents of a file, none where it is no YAML but the template of a chart; what is left of templates is a word. */
function documents(text: string): readonly { readonly value: JsonValue }[] {
  try {
    return parseYamlDocuments(text.replace(/'\{\{ (?:template|\.Release)[^']*\}\}'/g, "release"));
  } catch (error) {
    if (error instanceof YamlError) return [];
    throw error;
  }
}
