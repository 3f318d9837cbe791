import {
  controllerReference,
  defineController,
  kinds,
  owns,
  settled,
  withCondition,
  type BodyOf,
  type Condition,
  type ControllerDefinition,
} from "fairlead";

import { Website } from "./api.js";

/** What this controller owns of a Deployment and of a Service. Everything else in them is somebody else's. */
const deployment = owns(
  kinds.Deployment,
  "metadata.ownerReferences",
  "spec.replicas",
  "spec.selector",
  "spec.template.metadata.labels",
  "spec.template.spec.containers[].image",
);
const service = owns(kinds.Service, "metadata.ownerReferences", "spec.selector", "spec.ports[].port");

/** Serves each Website by a Deployment and a Service, and tells how many of its pods are ready. */
export const websiteController: ControllerDefinition = defineController({
  name: "website",
  for: Website,
  owns: { deployment, service }, // a change of either reconciles the Website that owns it
  async reconcile(site, ctx) {
    const { name } = site.metadata;
    const made = await ctx.apply(deployment, { name }, deploymentConfig(site));
    await ctx.apply(service, { name }, serviceConfig(site));
    const ready = made.status?.readyReplicas ?? 0;
    const conditions = withCondition(site.status?.conditions, readyCondition(site, ready), ctx.clock.now());
    await ctx.status({ ready, conditions });
    return settled();
  },
});

/** Pure: what the Deployment of a site looks like. */
export function deploymentConfig(site: Website): BodyOf<typeof deployment> {
  const labels = { app: site.metadata.name };
  return {
    metadata: { ownerReferences: [controllerReference(Website, site)] },
    spec: {
      replicas: site.spec.replicas ?? 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: site.spec.image }] } },
    },
  };
}

function serviceConfig(site: Website): BodyOf<typeof service> {
  return {
    metadata: { ownerReferences: [controllerReference(Website, site)] },
    spec: { selector: { app: site.metadata.name }, ports: [{ port: 80 }] },
  };
}

/** Pure: whether a site is ready, and why not. */
export function readyCondition(site: Website, ready: number): Omit<Condition, "lastTransitionTime"> {
  const wanted = site.spec.replicas ?? 1;
  const status = ready >= wanted ? "True" : "False";
  const reason = ready >= wanted ? "AllReady" : "PodsNotReady";
  return { type: "Ready", status, reason, message: `${ready} of ${wanted} pods are ready` };
}
