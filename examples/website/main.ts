import { testEnv } from "fairlead/testing";

import { Website, websiteDefinition } from "./api.js";
import { websiteController } from "./controller.js";

/*
 * Runs the operator against an embedded server and a simulated cluster on virtual time. For a real cluster give
 * `runManager` a client made with `loadKubeconfig` and `nodeTransport` instead.
 */
await using env = await testEnv({ cluster: {}, objects: [websiteDefinition], controllers: [websiteController] });
const websites = env.client("you").api(Website, "default");

await websites.create({ metadata: { name: "blog" }, spec: { image: "blog:1", replicas: 3 } });
await env.settle();
console.log("ready:", (await websites.get("blog")).status?.ready);
console.log("a second pass writes:", await env.writesOnSecondPass());
