import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import ts from "typescript";

import { codeBlocks } from "./blocks.js";

/** Documents whose code is compiled: those at the root, those of packages, and everything in docs/ but the records. */
export function documents(root: string): readonly string[] {
  const within = (folder: string): readonly string[] => {
    try {
      return readdirSync(join(root, folder)).map((name) => (folder === "." ? name : `${folder}/${name}`));
    } catch {
      return [];
    }
  };
  const packages = ["packages", "operators", "apps"].flatMap(within).flatMap(within);
  return [...within("."), ...packages, ...within("docs"), ...within("examples").flatMap(within)]
    .filter((name) => name.endsWith(".md"))
    .sort();
}

/**
 * Compiles every block against the sources, each as a module of its own at the root of the repository.
 *
 * @returns the compiler's complaints, with the document and the line; empty when there are none.
 */
export function checkDocuments(root: string): { readonly blocks: number; readonly errors: readonly string[] } {
  const modules = new Map<string, Origin>();
  for (const document of documents(root)) {
    for (const [i, block] of codeBlocks(readFileSync(join(root, document), "utf8")).entries()) {
      const given = block.given === "" ? "" : `${block.given}\n`;
      const name = join(root, `${document.replaceAll("/", "__")}.${String(i)}.ts`);
      modules.set(name, {
        document,
        line: block.line - given.split("\n").length + 1,
        text: `${given}${block.code}\nexport {};\n`,
      });
    }
  }
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, "tsconfig.check.json"), (path) => ts.sys.readFile(path)).config,
    ts.sys,
    root,
  );
  const program = ts.createProgram([...modules.keys()], options, hostOf(options, modules));
  const errors = [...modules].flatMap(([name, origin]) => {
    const source = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map((diagnostic) => describe(diagnostic, origin));
  });
  return { blocks: modules.size, errors };
}

interface Origin {
  readonly document: string;
  /** The line of the document that the module's first line stands for. */
  readonly line: number;
  readonly text: string;
}

function hostOf(options: ts.CompilerOptions, modules: ReadonlyMap<string, Origin>): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    fileExists: (path) => modules.has(path) || host.fileExists(path),
    readFile: (path) => modules.get(path)?.text ?? host.readFile(path),
    getSourceFile: (path, language, ...rest) => {
      const module = modules.get(path);
      return module === undefined
        ? host.getSourceFile(path, language, ...rest)
        : ts.createSourceFile(path, module.text, language);
    },
  };
}

function describe(diagnostic: ts.Diagnostic, { document, line }: Origin): string {
  const offset = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0;
  return `${document}:${String(line + offset)} ${ts.flattenDiagnosticMessageText(diagnostic.messageText, " ")}`;
}
