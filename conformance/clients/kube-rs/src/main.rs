//! kube-rs as operators use it: typed create, apply, watch with initial events, status and leases, against the server
//! of $KUBECONFIG.
use std::{collections::BTreeMap, time::Duration};

use anyhow::{bail, ensure, Context, Result};
use futures::{pin_mut, StreamExt, TryStreamExt};
use k8s_openapi::{
    api::{
        coordination::v1::{Lease, LeaseSpec},
        core::v1::{ConfigMap, Namespace},
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    api::{Api, DeleteParams, ObjectMeta, Patch, PatchParams, PostParams},
    runtime::{
        wait::{await_condition, conditions},
        watcher, WatchStreamExt,
    },
    Client, CustomResource, CustomResourceExt, ResourceExt,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const NAMESPACE: &str = "kube-rs";

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "conformance.fairlead.dev", version = "v1", kind = "Gadget", namespaced, status = "GadgetStatus")]
struct GadgetSpec {
    size: i32,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
struct GadgetStatus {
    phase: Option<String>,
}

#[tokio::main]
async fn main() -> Result<()> {
    tokio::time::timeout(Duration::from_secs(60), run()).await.context("not done in 60 s")??;
    println!("kube-rs: create, apply, watch, status and leases hold");
    Ok(())
}

async fn run() -> Result<()> {
    let client = Client::try_default().await?;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = Namespace { metadata: meta(NAMESPACE), ..Namespace::default() };
    namespaces.create(&PostParams::default(), &namespace).await?;
    config_maps(client.clone()).await?;
    custom(client.clone()).await?;
    leases(client).await?;
    namespaces.delete(NAMESPACE, &DeleteParams::default()).await?;
    Ok(())
}

fn meta(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }
}

fn config_map(name: &str, value: &str) -> ConfigMap {
    let data = BTreeMap::from([("a".to_owned(), value.to_owned())]);
    ConfigMap { metadata: meta(name), data: Some(data), ..ConfigMap::default() }
}

fn is_code<T>(result: &kube::Result<T>, code: u16) -> bool {
    matches!(result, Err(kube::Error::Api(status)) if status.code == code)
}

async fn config_maps(client: Client) -> Result<()> {
    let maps: Api<ConfigMap> = Api::namespaced(client, NAMESPACE);
    let made = maps.create(&PostParams::default(), &config_map("one", "1")).await?;
    ensure!(is_code(&maps.create(&PostParams::default(), &config_map("one", "1")).await, 409), "created twice");

    // Initial events come by the watch itself, and their end is marked.
    let events = watcher(maps.clone(), watcher::Config::default().streaming_lists().fields("metadata.name=one"));
    pin_mut!(events);
    let mut seen = Vec::new();
    while let Some(event) = events.try_next().await? {
        match event {
            watcher::Event::Init => seen.push("init".to_owned()),
            watcher::Event::InitApply(map) => seen.push(format!("initial {}", map.name_any())),
            watcher::Event::InitDone => {
                seen.push("done".to_owned());
                let replaced = ConfigMap { data: Some(BTreeMap::new()), ..made.clone() };
                maps.replace("one", &PostParams::default(), &replaced).await?;
                let stale = maps.replace("one", &PostParams::default(), &replaced).await;
                ensure!(is_code(&stale, 409), "a stale replace: {stale:?}");
            }
            watcher::Event::Apply(map) => {
                seen.push(format!("applied {}", map.name_any()));
                maps.delete("one", &DeleteParams::default()).await?;
            }
            watcher::Event::Delete(map) => {
                seen.push(format!("deleted {}", map.name_any()));
                break;
            }
        }
    }
    ensure!(seen == ["init", "initial one", "done", "applied one", "deleted one"], "seen: {seen:?}");

    let apply = |value: &str, manager: &str| {
        let body = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "two" }, "data": { "a": value } });
        let (maps, params) = (maps.clone(), PatchParams::apply(manager));
        async move { maps.patch("two", &params, &Patch::Apply(body)).await }
    };
    apply("1", "first").await?;
    ensure!(is_code(&apply("2", "second").await, 409), "another's field was applied");
    Ok(())
}

async fn custom(client: Client) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let params = PatchParams::apply("conformance").force();
    definitions.patch("gadgets.conformance.fairlead.dev", &params, &Patch::Apply(Gadget::crd())).await?;
    await_condition(definitions.clone(), "gadgets.conformance.fairlead.dev", conditions::is_crd_established()).await?;

    let gadgets: Api<Gadget> = Api::namespaced(client, NAMESPACE);
    let gadget = gadgets.create(&PostParams::default(), &Gadget::new("one", GadgetSpec { size: 1 })).await?;
    ensure!(gadget.metadata.generation == Some(1), "generation of a new object");
    let status = json!({ "status": { "phase": "Ready" }, "spec": { "size": 9 } });
    let written = gadgets.patch_status("one", &PatchParams::default(), &Patch::Merge(status)).await?;
    ensure!(written.status.as_ref().and_then(|s| s.phase.as_deref()) == Some("Ready"), "no status");
    ensure!(written.spec.size == 1 && written.metadata.generation == Some(1), "a status wrote the spec");

    let watching = watcher(gadgets.clone(), watcher::Config::default().streaming_lists()).applied_objects();
    pin_mut!(watching);
    let first = watching.next().await.context("the watch ended")??;
    ensure!(first.name_any() == "one", "another object");
    gadgets.delete("one", &DeleteParams::background()).await?;
    definitions.delete("gadgets.conformance.fairlead.dev", &DeleteParams::default()).await?;
    Ok(())
}

/// Who leads is whoever replaces the lease at the version that was read.
async fn leases(client: Client) -> Result<()> {
    let leases: Api<Lease> = Api::namespaced(client, NAMESPACE);
    let held_by = |holder: &str, lease: &Lease| {
        let spec = LeaseSpec { holder_identity: Some(holder.to_owned()), lease_duration_seconds: Some(15), ..LeaseSpec::default() };
        Lease { spec: Some(spec), ..lease.clone() }
    };
    let new = Lease { metadata: meta("leader"), ..Lease::default() };
    let lease = leases.create(&PostParams::default(), &held_by("a", &new)).await?;
    let params = PostParams::default();
    let (a, b) = (held_by("a", &lease), held_by("b", &lease));
    let (first, second) = tokio::join!(leases.replace("leader", &params, &a), leases.replace("leader", &params, &b));
    match (&first, &second) {
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => {}
        // The same holder again changes nothing, so that the other may still take over after it.
        (Ok(kept), Ok(_)) if kept.resource_version() == lease.resource_version() => {}
        _ => bail!("two leaders: {first:?} {second:?}"),
    }
    Ok(())
}
