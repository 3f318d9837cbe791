import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

// Determinism: a run must be replayable from a seed, so time, chance and the network come in as arguments. Only the
// `system.ts` files of base, the virtual clock and the socket folders may touch the real ones.
const banned = [
  ["Date.now", "Date", "now"],
  ["performance.now", "performance", "now"],
  ["Math.random", "Math", "random"],
  ["crypto.randomUUID", "crypto", "randomUUID"],
  ["crypto.getRandomValues", "crypto", "getRandomValues"],
];

const determinism = {
  "no-restricted-globals": [
    "error",
    ...["setTimeout", "setInterval", "setImmediate"].map((name) => ({
      name,
      message: "Wait on the Clock you are handed.",
    })),
    { name: "performance", message: "Read the Clock you are handed." },
    { name: "fetch", message: "Send through the Transport you are handed." },
  ],
  "no-restricted-properties": [
    "error",
    ...banned.map(([name, object, property]) => ({
      object,
      property,
      message: `Take a Clock or a Random instead of ${name}.`,
    })),
  ],
  "no-restricted-imports": [
    "error",
    {
      paths: [
        { name: "node:timers", message: "Wait on the Clock you are handed." },
        { name: "node:timers/promises", message: "Wait on the Clock you are handed." },
        { name: "node:perf_hooks", message: "Read the Clock you are handed." },
        {
          name: "node:crypto",
          importNames: [
            "randomUUID",
            "randomBytes",
            "randomInt",
            "randomFillSync",
            "randomFill",
            "webcrypto",
            "getRandomValues",
          ],
          message: "Take a Random.",
        },
      ],
    },
  ],
};

/** Syntax that is banned everywhere, and what is banned besides where runs must be replayable. */
const syntax = [
  { selector: "TSEnumDeclaration", message: "Use a union of literals." },
  { selector: "TSModuleDeclaration[kind!='global']", message: "Use a module." },
  { selector: "TSParameterProperty", message: "Write the field." },
];
const deterministicSyntax = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: "Read the Clock you are handed." },
  { selector: "CallExpression[callee.name='Date']", message: "Read the Clock you are handed." },
];
const environment = {
  selector: "MemberExpression[object.name='process'][property.name=/^(env|argv)$/]",
  message: "Only a main.ts reads the environment and the arguments; hand them in.",
};

export default defineConfig(
  {
    ignores: [
      "**/dist/**",
      "**/.stryker-tmp/**",
      "**/node_modules/**",
      "packages/*/src/generated/**",
      "packages/conformance/data/**",
      "conformance/clients/**",
      "coverage/**",
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [tseslint.configs.recommendedTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: "./tsconfig.check.json", tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-restricted-syntax": ["error", ...syntax, ...deterministicSyntax, environment],
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-floating-promises": ["error", { checkThenables: true }],
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrorsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      // A function that must return a promise may well have nothing to wait for.
      "@typescript-eslint/require-await": "off",
      // Numbers are written as decimals, which is what is meant.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      // `signal.reason` is thrown as it came.
      "@typescript-eslint/prefer-promise-reject-errors": [
        "error",
        { allowThrowingUnknown: true, allowThrowingAny: true },
      ],
      // `object["spec"]` marks a key of data that nobody has checked, where `.spec` would look like a typed field.
      "@typescript-eslint/dot-notation": "off",
      // It asks for `!`, which is banned above.
      "@typescript-eslint/non-nullable-type-assertion-style": "off",
      // isolatedDeclarations wants some of them, and a reader does not mind the others.
      "@typescript-eslint/no-inferrable-types": "off",
      // `String(value)` of a JSON value stands behind a check that it is no object.
      "@typescript-eslint/no-base-to-string": "off",
      // It takes assertions for unnecessary that noUncheckedIndexedAccess asks for.
      "@typescript-eslint/no-unnecessary-type-assertion": "off",
      // It would fold conditions that are said one by one.
      "@typescript-eslint/prefer-optional-chain": "off",
      // Hot loops count; isolatedDeclarations wants the type where it is declared.
      "@typescript-eslint/prefer-for-of": "off",
      "@typescript-eslint/consistent-generic-constructors": "off",
      // An index signature says more than Record where it names its key.
      "@typescript-eslint/consistent-indexed-object-style": "off",
      ...determinism,
    },
  },
  {
    files: [
      "packages/base/src/*/system.ts",
      "packages/apiserver/src/http/node.ts",
      "packages/client/src/transport/**",
      "packages/base/src/clock/virtual.ts",
    ],
    rules: {
      "no-restricted-globals": "off",
      "no-restricted-properties": "off",
      "no-restricted-imports": "off",
      "no-restricted-syntax": ["error", ...syntax, environment],
    },
  },
  {
    files: ["**/main.ts"],
    rules: { "no-restricted-syntax": ["error", ...syntax, ...deterministicSyntax] },
  },
  {
    // These prove or measure; nothing that ships imports them.
    files: ["**/*.test.ts", "**/*.fixtures.ts", "tools/**", "bench/**", "examples/**", "*.ts"],
    rules: {
      "no-restricted-globals": "off",
      "no-restricted-properties": "off",
      "no-restricted-imports": "off",
      "no-restricted-syntax": ["error", ...syntax],
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
    },
  },
);
