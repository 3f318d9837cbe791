/**
 * Where a line of code lives, and what it may import: the one place where this is written down. `layers.test.ts` reads
 * it, scans every import and names the row that was broken.
 *
 * - A row's `imports` are the rows whose surface it may use. A row stands below everything that it imports.
 * - `order` is the inside of a package, top first: a line may import the lines above it, and in `a/ -> b/` b may import
 *   a. What stands beside each other on a line does not know each other. The longest name that fits a file is its place,
 *   so `http/response.ts` may stand above `http/`. Files in one folder are free among themselves.
 * - `outside` is what comes from npm or from Node, and in which files or folders. `*` is the whole package.
 * - An entry called `node` holds what is real (clock, chance, disk, sockets, processes), so it is listed in `outside` by
 *   those who may use it. An entry called `testing` is for tests, and for rows that say so.
 * - Tests (`*.test.ts`, `*.fixtures.ts`) are free: they may import any row, their own package's index included, since
 *   nothing that ships imports them. So a client's test may run against the embedded server and still stand beside the
 *   code that it proves.
 */
export interface Layer {
  /** The folder, from the root of the repository. */
  readonly folder: string;
  /** Folders of other rows; all of them stand above this one. */
  readonly imports: readonly string[];
  readonly order: readonly string[];
  /** By module: where it may be imported. */
  readonly outside: Readonly<Record<string, readonly string[]>>;
}

const BASE = "packages/base";
const APIMACHINERY = "packages/apimachinery";
const SSA = "packages/ssa";
const APISERVER = "packages/apiserver";
const CLIENT = "packages/client";
const RUNTIME = "packages/runtime";
const CLUSTER_SIM = "packages/cluster-sim";
const TESTING = "packages/testing";
const CONFORMANCE = "packages/conformance";
const MINISERVICE = "operators/miniservice";
const CLI = "apps/cli";

export const LAYERS: readonly Layer[] = [
  {
    folder: BASE,
    imports: [],
    order: [
      "errors/ async/ collections/ encoding/ http/ random/ log/",
      "json/ files/ clock/", // budgets and missing files are FairleadErrors; a virtual clock keeps its alarms in a heap
      "index.ts node.ts testing.ts",
    ],
    outside: { "node:fs/promises": ["files/system.ts"], "node:path": ["files/system.ts"] },
  },
  {
    folder: APIMACHINERY,
    imports: [BASE],
    order: [
      "meta/ gvk/ status/ jsonpath/ generated/",
      "validation/",
      "quota/ yaml/ selectors/ schema/ -> cel/",
      "patch/", // strategic merge reads the schema's merge keys
      "index.ts testing.ts",
    ],
    outside: {},
  },
  {
    folder: SSA,
    imports: [BASE, APIMACHINERY],
    order: ["value/ -> fieldpath/ -> typed/ -> merge/ -> managedfields/", "index.ts"],
    outside: {},
  },
  {
    folder: APISERVER,
    imports: [BASE, APIMACHINERY, SSA],
    order: [
      "storage/",
      // What everybody in the server says: a kind as it is served, a request, its failures, an object's metadata.
      "resources/resource.ts -> registry/endpoint.ts registry/request.ts registry/failures.ts registry/metadata.ts",
      "resources/",
      "auth/ -> admission/",
      "registry/ -> watch/",
      "http/response.ts -> discovery/",
      "http/",
      "server.ts -> listening-server.ts",
      "index.ts node.ts testing.ts",
    ],
    outside: {
      "@bufbuild/protobuf": ["http/protobuf/"],
      yaml: ["http/encode.ts"],
      "node:crypto": ["auth/", "discovery/", "http/paths.ts"],
      "node:fs/promises": ["storage/lock.ts"], // an exclusive create, which Files cannot say
      "node:http": ["http/node.ts"],
      "node:http2": ["http/node.ts"],
      "node:https": ["http/webhook-transport.ts"],
      "node:net": ["http/node.ts", "auth/certificates/certificates.ts"],
      "node:zlib": ["http/node.ts", "resources/builtin/openapi.ts", "storage/lines.ts"],
      "@fairlead/base/node": ["listening-server.ts", "storage/lock.ts"],
    },
  },
  {
    folder: CLIENT,
    imports: [BASE, APIMACHINERY, SSA],
    order: [
      "request/ -> generated/ discovery/ watch/ -> kinds/ -> api/ -> writes/",
      "transport/ -> auth/",
      "index.ts node.ts testing.ts",
    ],
    outside: {
      yaml: ["auth/kubeconfig.ts"],
      undici: ["transport/"],
      "node:child_process": ["auth/exec.ts"],
      "node:dns": ["transport/"],
      "node:net": ["transport/"],
      "node:path": ["auth/load.ts"],
    },
  },
  {
    folder: RUNTIME,
    imports: [BASE, APIMACHINERY, SSA, CLIENT],
    order: [
      "watcher/ -> store/ -> informer/",
      "queue/",
      "controller/",
      "finalizer/ events/ election/ webhook/ -> manager/",
      "index.ts testing.ts",
    ],
    outside: {},
  },
  {
    folder: CLUSTER_SIM,
    imports: [BASE, APIMACHINERY, CLIENT, RUNTIME],
    order: [
      "options.ts",
      "nodes/ pods/ scheduler/ namespaces/ gc/ accounts/ volumes/ workloads/ -> services/endpoint-slices.ts -> services/",
      "cluster.ts",
      "index.ts",
    ],
    outside: {},
  },
  {
    folder: TESTING,
    imports: [BASE, APIMACHINERY, SSA, APISERVER, CLIENT, RUNTIME, CLUSTER_SIM],
    order: ["guarantees/", "settle/ owners/ -> env/", "index.ts"],
    outside: { "@fairlead/base/node": ["env/"] },
  },
  {
    folder: "packages/fault-sim",
    imports: [BASE, APIMACHINERY, SSA, APISERVER, CLIENT, RUNTIME, CLUSTER_SIM, TESTING],
    order: ["world/ network/ actors/ oracles/ -> explore/ trace/", "index.ts"],
    outside: {},
  },
  {
    folder: CONFORMANCE,
    imports: [BASE, APIMACHINERY, APISERVER, CLIENT],
    order: ["suite/", "clients/ targets/", "run.ts differential/", "index.ts main.ts"],
    outside: {
      "node:fs": ["suite/recordings.ts"],
      "node:http": ["targets/"],
      "node:https": ["targets/"],
      "node:util": ["main.ts"],
      "node:zlib": ["suite/recordings.ts"],
      "@fairlead/apiserver/node": ["targets/"],
      "@fairlead/base/node": ["targets/"],
    },
  },
  {
    folder: MINISERVICE,
    imports: [BASE, APIMACHINERY, CLIENT, RUNTIME],
    order: [
      "api.ts limits.ts -> codec.ts conditions.ts workload-config.ts",
      "worker/ -> manifests.ts cleanup.ts",
      "render/renderer.ts -> chart/ -> render/",
      "memory.ts -> rendered.ts",
      "health/pod.ts -> health/object.ts",
      "observe.ts -> health/ -> decide.ts -> act.ts -> status.ts",
      "controller.ts control-plane/",
      "index.ts node.ts testing.ts main.ts",
    ],
    outside: {
      yaml: ["workload-config.ts"],
      "tar-stream": ["chart/", "render/programs.ts"],
      yauzl: ["render/programs.ts"],
      "node:child_process": ["render/"],
      "node:crypto": ["chart/", "render/"],
      "node:fs": ["render/"],
      "node:fs/promises": ["render/"],
      "node:os": ["render/"],
      "node:path": ["render/"],
      "node:stream": ["chart/archive.ts"],
      "node:zlib": ["chart/archive.ts", "render/programs.ts"],
    },
  },
  {
    folder: "operators/process",
    imports: [BASE, APIMACHINERY, CLIENT, RUNTIME],
    order: ["process/ pool/ allocation/", "index.ts main.ts"],
    outside: {},
  },
  {
    folder: CLI,
    imports: [BASE, APIMACHINERY, SSA, APISERVER, CLIENT, RUNTIME, CLUSTER_SIM, TESTING, MINISERVICE],
    order: [
      "terminal.ts state-directory.ts commands/controllers.ts -> up/ -> output/ -> commands/",
      "program.ts -> main.ts",
      "index.ts server.ts testing.ts",
    ],
    outside: {
      commander: ["program.ts"],
      "node:os": ["state-directory.ts"],
      "node:crypto": ["up/"],
      "node:fs/promises": ["up/"],
      "node:path": ["up/", "commands/backup.ts"],
      "node:url": ["up/"],
      "@fairlead/apiserver/node": ["commands/", "up/", "server.ts"],
      "@fairlead/base/node": ["commands/", "up/", "index.ts"],
      "@fairlead/client/node": ["commands/", "up/", "index.ts"],
      "@fairlead/miniservice/node": ["commands/", "up/"],
    },
  },
];
