import { dirname, normalize } from "node:path";

import type { Import } from "./imports.js";
import type { Layer } from "./layers.js";

/** A package as its `package.json` shows it. */
export interface Manifest {
  readonly name: string;
  /** Keys of `exports`: `.`, `./node`, … */
  readonly entries: readonly string[];
  /** Keys of `dependencies`. */
  readonly dependencies: readonly string[];
}

/** A place in the order of a package: the line, and within it the step of a chain of arrows. */
interface Place {
  readonly line: number;
  readonly step: number;
  readonly name: string;
}

/** Free to import anything; nothing that ships may import them. */
export function isTest(file: string): boolean {
  return /\.(test|fixtures)\.tsx?$/.test(file);
}

/** What is wrong with an import, naming the row that it breaks; undefined when nothing is. */
export function breach(
  one: Import,
  layers: readonly Layer[],
  manifests: ReadonlyMap<string, Manifest>,
): string | undefined {
  const row = layers.find((layer) => one.file.startsWith(`${layer.folder}/`));
  if (row === undefined) return `${at(one)} stands in a folder that has no row`;
  const wrong = isTest(one.file) ? undefined : wrongIn(row, one, { layers, manifests });
  return wrong === undefined ? undefined : `${at(one)} ${wrong} (row ${row.folder})`;
}

interface World {
  readonly layers: readonly Layer[];
  readonly manifests: ReadonlyMap<string, Manifest>;
}

function wrongIn(row: Layer, one: Import, world: World): string | undefined {
  const { specifier } = one;
  if (specifier === undefined) return "computes what it imports; write the module's name";
  const inner = innerName(row, one.file);
  if (inner === undefined) return "stands outside src/";
  if (specifier.startsWith(".")) return wrongWithin(row, inner, targetFile(one.file, specifier));
  const owner = [...world.manifests].find(([, m]) => specifier === m.name || specifier.startsWith(`${m.name}/`));
  if (owner !== undefined) return wrongAcross(row, inner, specifier, { folder: owner[0], manifest: owner[1] });
  return wrongOutside(row, inner, specifier, world.manifests.get(row.folder));
}

/** An import inside one package: up the order, and never of its own surface. */
function wrongWithin(row: Layer, from: string, to: string): string | undefined {
  const target = innerName(row, to);
  if (target === undefined) return `imports ${to}, an inner file of another package; import the package by its name`;
  if (isTest(to)) return `imports ${target}, which is for tests`;
  const [here, there] = [placeOf(row, from), placeOf(row, target)];
  if (here === undefined) return `has no place in the order of its package; its line is missing for ${from}`;
  if (there === undefined) return `imports ${target}, which has no place in the order of its package`;
  if (here.name === there.name && from.includes("/")) return undefined;
  const above = there.line < here.line || (there.line === here.line && there.step < here.step);
  return above ? undefined : `imports ${target}: ${there.name} does not stand above ${here.name}`;
}

/** An import of another package by its name: one of the row's, and one of its entries. */
function wrongAcross(
  row: Layer,
  from: string,
  specifier: string,
  to: { readonly folder: string; readonly manifest: Manifest },
): string | undefined {
  const entry = `.${specifier.slice(to.manifest.name.length)}`;
  if (to.folder === row.folder) return `imports its own package by name, ${specifier}`;
  if (!row.imports.includes(to.folder)) return `imports ${specifier}, and its row does not name ${to.folder}`;
  if (!to.manifest.entries.includes(entry)) return `imports ${specifier}, which is no entry of ${to.manifest.name}`;
  const special = entry === "./node" || entry === "./testing";
  if (special && !fits(row.outside[specifier], from)) return `imports ${specifier}, which ${from} is not listed for`;
  return undefined;
}

/** An import from npm or of Node's own modules. */
function wrongOutside(row: Layer, from: string, specifier: string, manifest: Manifest | undefined): string | undefined {
  const name = moduleName(specifier);
  const places = row.outside[name];
  if (places === undefined) return `imports ${specifier}, which its row does not name`;
  if (!fits(places, from)) return `imports ${specifier}, which is only for ${places.join(", ")}`;
  const missing = !name.startsWith("node:") && manifest?.dependencies.includes(name) !== true;
  return missing ? `imports ${specifier}, which is missing in the dependencies of package.json` : undefined;
}

/** The rows' own mistakes: an import of a row that does not stand above, or an order that names something twice. */
export function tableMistakes(layers: readonly Layer[]): readonly string[] {
  return layers.flatMap((row, i) => {
    const above = layers.slice(0, i).map((layer) => layer.folder);
    const notAbove = row.imports.filter((folder) => !above.includes(folder));
    const names = places(row).map((place) => place.name);
    const twice = names.filter((name, n) => names.indexOf(name) !== n);
    return [
      ...notAbove.map((folder) => `row ${row.folder} imports ${folder}, which does not stand above it`),
      ...twice.map((name) => `row ${row.folder} places ${name} twice`),
    ];
  });
}

function places(row: Layer): readonly Place[] {
  return row.order.flatMap((text, line) =>
    text.split("->").flatMap((names, step) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => ({ line, step, name })),
    ),
  );
}

/** The longest name that a file fits. */
function placeOf(row: Layer, inner: string): Place | undefined {
  return places(row)
    .filter((place) => inner === place.name || (place.name.endsWith("/") && inner.startsWith(place.name)))
    .sort((a, b) => b.name.length - a.name.length)[0];
}

function fits(names: readonly string[] | undefined, inner: string): boolean {
  return (
    names?.some((name) => name === "*" || inner === name || (name.endsWith("/") && inner.startsWith(name))) ?? false
  );
}

/** A file's name below its package's `src/`; undefined when it is not there. */
function innerName(row: Layer, file: string): string | undefined {
  const src = `${row.folder}/src/`;
  return file.startsWith(src) ? file.slice(src.length) : undefined;
}

function targetFile(from: string, specifier: string): string {
  return normalize(`${dirname(from)}/${specifier}`).replace(/\.js$/, ".ts");
}

/** `@scope/name/inner` -> `@scope/name`. Node's modules keep their whole name. */
function moduleName(specifier: string): string {
  if (specifier.startsWith("node:")) return specifier;
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function at(one: Import): string {
  return `${one.file}:${String(one.line)}`;
}
