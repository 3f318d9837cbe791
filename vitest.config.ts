import { defineConfig } from "vitest/config";

/** Tests run on the sources: the `@fairlead/source` condition of each package's `exports` names them. */
export default defineConfig({
  resolve: { conditions: ["@fairlead/source"] },
  ssr: { resolve: { conditions: ["@fairlead/source"] } },
  test: {
    include: ["{packages,operators,apps}/*/src/**/*.test.ts", "tools/**/*.test.ts", "examples/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    environment: "node",
    pool: "threads",
    testTimeout: 30_000,
    server: { deps: { inline: [/@fairlead\//, /^fairlead/] } },
  },
});
