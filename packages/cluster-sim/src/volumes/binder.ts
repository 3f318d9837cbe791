import { isStatus } from "@fairlead/apimachinery";
import { kinds, mergeStatus, owns, removeFinalizer } from "@fairlead/client";
import {
  defineController,
  settled,
  watch,
  type Context,
  type ControllerDefinition,
  type Outcome,
} from "@fairlead/runtime";

const PROTECTION = "kubernetes.io/pvc-protection";
export const STANDARD_CLASS = "standard";
const PROVISIONER = "sim.fairlead.dev/volumes";

/** The fields of a claim that binding it sets. */
const binding = owns(kinds.PersistentVolumeClaim, "metadata.annotations", "spec.volumeName");

/** Makes a volume for each claim, or finds one, and binds them. Volumes of deleted claims go by their reclaim policy. */
export function volumeBinder(): ControllerDefinition {
  return defineController<kinds.PersistentVolumeClaim>({
    name: "persistentvolume-binder-controller",
    fieldManager: "kube-controller-manager",
    for: kinds.PersistentVolumeClaim,
    reads: [kinds.StorageClass],
    watches: [
      watch(kinds.PersistentVolume, (volume) => {
        const ref = volume.spec?.claimRef;
        return ref?.name === undefined ? [] : [{ namespace: ref.namespace ?? "", name: ref.name }];
      }),
      watch(kinds.Pod, (pod) =>
        (pod.spec?.volumes ?? []).flatMap((v) =>
          v.persistentVolumeClaim === undefined
            ? []
            : [{ namespace: pod.metadata.namespace ?? "", name: v.persistentVolumeClaim.claimName }],
        ),
      ),
    ],
    onConflict: "take",
    reconcile: reconcileClaim,
  });
}

async function reconcileClaim(
  claim: kinds.PersistentVolumeClaim,
  ctx: Context<kinds.PersistentVolumeClaim>,
): Promise<Outcome> {
  if (claim.metadata.deletionTimestamp !== undefined) return releaseClaim(claim, ctx);
  if (claim.status?.phase === "Bound") return settled();
  const volume = await volumeFor(claim, ctx);
  if (volume === undefined) {
    ctx.event({
      type: "Normal",
      reason: "FailedBinding",
      message: "no persistent volumes available for this claim and no storage class is set",
    });
    return settled();
  }
  const { namespace = "", name } = claim.metadata;
  if (claim.spec?.volumeName !== volume.metadata.name) {
    await ctx.apply(
      binding,
      { namespace, name },
      {
        metadata: {
          annotations: { "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes" },
        },
        spec: { volumeName: volume.metadata.name },
      },
    );
  }
  await mergeStatus(
    ctx.client.api(kinds.PersistentVolume),
    volume.metadata.name,
    { phase: "Bound" },
    { signal: ctx.signal },
  );
  await ctx.status({
    phase: "Bound",
    accessModes: claim.spec?.accessModes ?? [],
    capacity: { storage: volume.spec?.capacity?.["storage"] ?? "1Gi" },
  } as never);
  return settled();
}

/** The volume that is bound to a claim already, one that fits and is free, or a new one of the claim's class. */
async function volumeFor(
  claim: kinds.PersistentVolumeClaim,
  ctx: Context<kinds.PersistentVolumeClaim>,
): Promise<kinds.PersistentVolume | undefined> {
  const volumes = ctx.store(kinds.PersistentVolume).list();
  const own = volumes.find((v) => v.spec?.claimRef?.uid === claim.metadata.uid);
  if (own !== undefined) return own;
  const className = claim.spec?.storageClassName;
  const free = volumes.find(
    (v) =>
      v.spec?.claimRef === undefined &&
      (v.spec?.storageClassName ?? "") === (className ?? "") &&
      (claim.spec?.volumeName === undefined || claim.spec.volumeName === v.metadata.name),
  );
  if (free !== undefined) return claimVolume(free, claim, ctx);
  if (className === undefined || className === "") return undefined;
  const name = `pvc-${claim.metadata.uid ?? ""}`;
  try {
    return await ctx.client.api(kinds.PersistentVolume).create(
      {
        metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": PROVISIONER } },
        spec: {
          accessModes: claim.spec?.accessModes ?? ["ReadWriteOnce"],
          capacity: { storage: claim.spec?.resources?.requests?.["storage"] ?? "1Gi" },
          claimRef: claimRef(claim),
          hostPath: { path: `/var/lib/sim/${name}`, type: "" },
          persistentVolumeReclaimPolicy: "Delete",
          storageClassName: className,
          volumeMode: claim.spec?.volumeMode ?? "Filesystem",
        } as never,
      },
      { signal: ctx.signal },
    );
  } catch (error) {
    if (isStatus(error, "AlreadyExists"))
      return ctx.client.api(kinds.PersistentVolume).get(name, { signal: ctx.signal });
    throw error;
  }
}

const claimed = owns(kinds.PersistentVolume, "spec.claimRef");

async function claimVolume(
  volume: kinds.PersistentVolume,
  claim: kinds.PersistentVolumeClaim,
  ctx: Context<kinds.PersistentVolumeClaim>,
): Promise<kinds.PersistentVolume> {
  return ctx.apply(claimed, { name: volume.metadata.name }, { spec: { claimRef: claimRef(claim) } });
}

function claimRef(claim: kinds.PersistentVolumeClaim): Readonly<Record<string, string>> {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace: claim.metadata.namespace ?? "",
    name: claim.metadata.name,
    uid: claim.metadata.uid ?? "",
  };
}

/** A claim in use stays; when no pod uses it any more it goes, and its volume with it. */
async function releaseClaim(
  claim: kinds.PersistentVolumeClaim,
  ctx: Context<kinds.PersistentVolumeClaim>,
): Promise<Outcome> {
  const used = ctx
    .store(kinds.Pod)
    .list()
    .some(
      (p) =>
        p.metadata.namespace === claim.metadata.namespace &&
        p.status?.phase !== "Succeeded" &&
        p.status?.phase !== "Failed" &&
        p.spec?.volumes?.some((v) => v.persistentVolumeClaim?.claimName === claim.metadata.name) === true,
    );
  if (used) return settled();
  const volume = ctx
    .store(kinds.PersistentVolume)
    .list()
    .find((v) => v.spec?.claimRef?.uid === claim.metadata.uid);
  if (volume?.spec?.persistentVolumeReclaimPolicy === "Delete") {
    const held = await ctx.client.api(kinds.PersistentVolume).find(volume.metadata.name, { signal: ctx.signal });
    if (held !== undefined) {
      const free = await removeFinalizer(ctx.client.api(kinds.PersistentVolume), held, "kubernetes.io/pv-protection", {
        signal: ctx.signal,
      });
      await ctx.client
        .api(kinds.PersistentVolume)
        .deleteObject(free, { signal: ctx.signal })
        .ignoreError("it may be gone already");
    }
  } else if (volume !== undefined) {
    await mergeStatus(
      ctx.client.api(kinds.PersistentVolume),
      volume.metadata.name,
      { phase: "Released" },
      { signal: ctx.signal },
    );
  }
  await removeFinalizer(ctx.client.api(kinds.PersistentVolumeClaim), claim, PROTECTION, { signal: ctx.signal });
  return settled();
}
