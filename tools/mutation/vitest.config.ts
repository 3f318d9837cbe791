import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tables first: they kill most mutants within milliseconds, and the first failure ends a run. */
class TablesFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isProperty = (file: TestSpecification): number => Number(file.moduleId.includes(".property."));
    return Promise.resolve(
      [...files].sort((a, b) => isProperty(a) - isProperty(b) || (a.moduleId < b.moduleId ? -1 : 1)),
    );
  }
}

/**
 * The tests that the mutants of a package are run against: all of its own but the replay of recordings, which takes
 * seconds and which every mutant would meet. The packages below it are taken as built. Paths are relative to a package.
 */
const config: ViteUserConfig = defineConfig({
  test: {
    include: ["src/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/{replay,apply.property,updater.property}.test.ts"],
    environment: "node",
    pool: "threads",
    isolate: false,
    sequence: { sequencer: TablesFirst },
    setupFiles: [fileURLToPath(new URL("./setup.ts", import.meta.url))],
  },
});

export default config;
