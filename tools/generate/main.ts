// Writes packages/apimachinery/src/generated from Kubernetes' own OpenAPI documents.
//
//   node tools/dist/generate/main.js [--openapi DIR]
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readDocuments } from "./documents.js";
import { openApiModule } from "./openapi-module.js";
import { pointerFields } from "./pointer-fields.js";
import { HEADER, typesModule } from "./types-module.js";

const root = new URL("../../../", import.meta.url);
const option = process.argv.indexOf("--openapi");
const folder = option < 0 ? new URL("../shared/openapi/", root) : new URL(`file://${process.argv[option + 1] ?? ""}/`);
const target = new URL("packages/apimachinery/src/generated/", root);

const documents = readDocuments(folder);
const pointers = pointerFields(readFileSync(new URL("packages/apiserver/src/http/protobuf/fields.ts", root), "utf8"));

mkdirSync(target, { recursive: true });
write("types.ts", typesModule(documents, pointers));
write("openapi.ts", openApiModule(documents));
write("index.ts", `${HEADER}\nexport * from "./openapi.js";\n`);

function write(name: string, text: string): void {
  writeFileSync(new URL(name, target), text);
  process.stdout.write(`${name}: ${text.length} characters\n`);
}
