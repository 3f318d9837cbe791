import type { KubernetesObject } from "@fairlead/apimachinery";
import type { ControllerDefinition, ControllerEnv } from "./controller.js";
import { ControllerLoop } from "./loop.js";
import type { ControllerSpec } from "./spec.js";

/**
 * Defines a controller. Nothing happens until a manager runs it.
 *
 * ```ts
 * const web = owns(kinds.Deployment, "spec.replicas", "spec.selector", "spec.template");
 * const controller = defineController({
 *   name: "website",
 *   for: Website,
 *   owns: { web },
 *   async reconcile(site, ctx) {
 *     const made = await ctx.apply(web, { name: site.metadata.name }, deploymentConfig(site));
 *     await ctx.status({ ready: made.status?.readyReplicas ?? 0 });
 *     return settled();
 *   },
 * });
 * ```
 */
export function defineController<T extends KubernetesObject>(spec: ControllerSpec<T>): ControllerDefinition {
  const fieldManager = spec.fieldManager ?? `fairlead/${spec.name}`;
  return Object.freeze({
    name: spec.name,
    fieldManager,
    runs: spec.runs ?? "leader",
    create: (env: ControllerEnv) => new ControllerLoop(spec, { ...env, client: env.client.as(fieldManager) }),
  });
}
