import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { codeBlocks } from "./blocks.js";
import { checkDocuments } from "./check.js";

/*
 * main.js check              compiles the TypeScript in the documents
 * main.js extract FILE [N]   prints the N-th block of a document, the first by default
 */
const root = fileURLToPath(new URL("../../../", import.meta.url));
const [command, file = "README.md", number = "1"] = process.argv.slice(2);
switch (command) {
  case "check": {
    const { blocks, errors } = checkDocuments(root);
    for (const error of errors) console.log(error);
    console.log(`${String(blocks)} blocks compiled, ${String(errors.length)} errors`);
    process.exitCode = errors.length === 0 && blocks > 0 ? 0 : 1;
    break;
  }
  case "extract": {
    const block = codeBlocks(readFileSync(file, "utf8"))[Number(number) - 1];
    if (block === undefined) throw new Error(`${file} has no block number ${number}`);
    process.stdout.write(`${block.given}\n${block.code}\n`);
    break;
  }
  default:
    throw new Error("usage: main.js check | extract FILE [N]");
}
