import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "vite";

const ENTRY = "virtual:tests";

/**
 * The tests that are not run against mutants: the replay of recordings and the properties of whole applies take seconds,
 * and nearly every mutant would meet them.
 */
const SLOW = /(replay|apply\.property)\.test\.ts$/;

/** Tables first: they kill most mutants within milliseconds, and the first failure ends a run. */
function testFiles(): readonly string[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" });
  const tests = files.filter((file) => file.endsWith(".test.ts") && !SLOW.test(file)).sort();
  const isProperty = (file: string): boolean => file.includes(".property.");
  return [...tests.filter((file) => !isProperty(file)), ...tests.filter(isProperty)];
}

/** Bundles a package's tests, with all they import, into one file for mocha. Runs in the folder of the package. */
const config: UserConfig = defineConfig({
  logLevel: "warn",
  plugins: [
    {
      name: "tests",
      resolveId: (id) => (id === ENTRY ? id : undefined),
      load: (id) =>
        id === ENTRY
          ? testFiles()
              .map((file) => `import ${JSON.stringify(`${process.cwd()}/src/${file}`)};`)
              .join("\n")
          : undefined,
    },
  ],
  resolve: { alias: { vitest: fileURLToPath(new URL("./vitest-on-mocha.ts", import.meta.url)) } },
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: "bundle",
    minify: false,
    rollupOptions: {
      input: ENTRY,
      treeshake: false,
      output: { format: "cjs", entryFileNames: "tests.cjs", codeSplitting: false },
    },
  },
});

export default config;
