import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import ts from "typescript";

/** One import of a file, whatever its form. */
export interface Import {
  /** The file, from the root of the repository, with `/`. */
  readonly file: string;
  readonly line: number;
  /** As it is written; undefined when it is computed, so that nobody can tell what is imported. */
  readonly specifier: string | undefined;
}

const SKIPPED = new Set(["node_modules", "dist", ".git", ".stryker-tmp"]);

/** Every TypeScript file under a folder, sorted; none when there is no such folder. */
export function sourceFiles(root: string, folder: string): readonly string[] {
  let entries;
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : sourceFiles(root, path);
      return /\.[cm]?tsx?$/.test(entry.name) ? [path] : [];
    })
    .sort();
}

/** The imports of a file: static, re-exports, types, `import(…)`, `import("…").T`, `import x = require(…)`, `require(…)`. */
export function importsOf(root: string, file: string): readonly Import[] {
  return importsOfText(readFileSync(join(root, file), "utf8"), file);
}

export function importsOfText(text: string, file: string): readonly Import[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const target = targetOf(node);
    if (target !== undefined) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      found.push({ file, line, specifier: ts.isStringLiteralLike(target) ? target.text : undefined });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The expression or type that says what a node imports; undefined when it imports nothing. */
function targetOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument;
  if (!ts.isCallExpression(node)) return undefined;
  const { expression } = node;
  const imports =
    expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(expression) && expression.text === "require");
  return imports ? node.arguments[0] : undefined;
}
