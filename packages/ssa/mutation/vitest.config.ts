import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/** Tables first: they kill most mutants within milliseconds, and the first failure ends a run. */
class TablesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isProperty = (file: TestSpecification): number => Number(file.moduleId.includes(".property."));
    return [...files].sort((a, b) => isProperty(a) - isProperty(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

/**
 * The tests that mutants are run against: all of this package but the replay of recordings, which takes seconds and
 * which every mutant would meet. The packages below are taken as built.
 */
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", "**/replay.test.ts"],
    environment: "node",
    pool: "threads",
    isolate: false,
    sequence: { sequencer: TablesFirst },
    setupFiles: ["mutation/setup.ts"],
  },
});
