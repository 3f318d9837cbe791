import { readFileSync } from "node:fs";
import { join } from "node:path";

import ts from "typescript";

/** Where a code is given to an error. */
export interface CodeUse {
  readonly code: string;
  readonly file: string;
}

/**
 * The codes that a file gives to FairleadErrors: the first argument of `new FairleadError(…)`, and of `super(…)` in a class
 * that extends it. Where the argument is computed, every text in it counts, and every text in the tables it looks into.
 */
export function codesIn(root: string, file: string): readonly CodeUse[] {
  return codesOfText(readFileSync(join(root, file), "utf8"), file);
}

export function codesOfText(text: string, file: string): readonly CodeUse[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const codes = new Set<string>();
  const visit = (node: ts.Node): void => {
    const code = codeArgument(node);
    if (code !== undefined) for (const found of textsOf(code, source)) codes.add(found);
    ts.forEachChild(node, visit);
  };
  visit(source);
  codes.delete(""); // compared with, never given
  return [...codes].map((code) => ({ code, file }));
}

function codeArgument(node: ts.Node): ts.Expression | undefined {
  if (ts.isNewExpression(node)) return isRoot(node.expression) ? node.arguments?.[0] : undefined;
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.SuperKeyword) return undefined;
  let around: ts.Node = node;
  while (!ts.isClassLike(around)) around = around.parent;
  const parents = around.heritageClauses?.flatMap((clause) => clause.types.map((type) => type.expression)) ?? [];
  return parents.some(isRoot) ? node.arguments[0] : undefined;
}

function isRoot(expression: ts.Node): boolean {
  return ts.isIdentifier(expression) && expression.text === "FairleadError";
}

/** The texts in an expression, and in the object literals of the file that it names. */
function textsOf(expression: ts.Node, source: ts.SourceFile): readonly string[] {
  if (ts.isStringLiteralLike(expression)) return [expression.text];
  if (ts.isIdentifier(expression)) return textsOfTable(expression.text, source);
  return childrenOf(expression).flatMap((child) => textsOf(child, source));
}

function textsOfTable(name: string, source: ts.SourceFile): readonly string[] {
  return source.statements
    .filter(ts.isVariableStatement)
    .flatMap((statement) => statement.declarationList.declarations)
    .filter((declared) => ts.isIdentifier(declared.name) && declared.name.text === name)
    .flatMap(({ initializer }) =>
      initializer !== undefined && ts.isObjectLiteralExpression(initializer) ? initializer.properties : [],
    )
    .flatMap((property) => (ts.isPropertyAssignment(property) ? textsOf(property.initializer, source) : []));
}

function childrenOf(node: ts.Node): readonly ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}
