// Writes packages/apimachinery/src/generated and packages/client/src/generated from Kubernetes' own OpenAPI documents.
//
//   npm run generate -- --openapi DIR     a folder with the documents of /openapi/v3, as a server of that release gives them
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { readDocuments } from "./documents.js";
import { kindsModules } from "./kinds-modules.js";
import { openApiModule } from "./openapi-module.js";
import { pointerFields } from "./pointer-fields.js";
import { HEADER, typesModule } from "./types-module.js";

const root = new URL("../../../", import.meta.url);
const option = process.argv.indexOf("--openapi");
const directory = option < 0 ? undefined : process.argv[option + 1];
if (directory === undefined) throw new Error("usage: npm run generate -- --openapi DIR");
const folder = pathToFileURL(`${resolve(directory)}/`);
const target = new URL("packages/apimachinery/src/generated/", root);

const documents = readDocuments(folder);
const pointers = pointerFields(readFileSync(new URL("packages/apiserver/src/http/protobuf/fields.ts", root), "utf8"));

const kinds = new URL("packages/client/src/generated/", root);
mkdirSync(target, { recursive: true });
mkdirSync(kinds, { recursive: true });
for (const [name, text] of kindsModules(documents)) write(name, text, kinds);
write("types.ts", typesModule(documents, pointers));
write("openapi.ts", openApiModule(documents));
write("index.ts", `${HEADER}\nexport * from "./openapi.js";\n`);

function write(name: string, text: string, folder: URL = target): void {
  writeFileSync(new URL(name, folder), text);
  process.stdout.write(`${name}: ${text.length} characters\n`);
}
