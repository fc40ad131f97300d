//! A small operator as its author writes it: for each Shelf a Deployment with as many readers as it says, applied by the server.

use std::env;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::runtime::finalizer::{finalizer, Event as Finalizer};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::watcher;
use kube::{Client, CustomResource, CustomResourceExt, Resource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const MANAGER: &str = "shelf-operator";

#[derive(CustomResource, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "library.example.org",
    version = "v1",
    kind = "Shelf",
    plural = "shelves",
    namespaced,
    shortname = "sh",
    status = "ShelfStatus",
    scale(spec_replicas_path = ".spec.readers", status_replicas_path = ".status.readyReaders"),
    printcolumn = r#"{"name": "Readers", "type": "integer", "jsonPath": ".spec.readers"}"#,
    printcolumn = r#"{"name": "Phase", "type": "string", "jsonPath": ".status.phase"}"#,
    validation = kube::core::Rule::new("self.metadata.name != 'forbidden'").message("this name is not for shelves")
)]
struct ShelfSpec {
    #[schemars(range(min = 0, max = 9))]
    #[serde(default = "one")]
    readers: i32,
    topic: String,
}

#[derive(Deserialize, Serialize, Clone, Debug, Default, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ShelfStatus {
    phase: Option<String>,
    ready_readers: Option<i32>,
    observed_generation: Option<i64>,
}

fn one() -> i32 {
    1
}

type Failure = Box<dyn Error + Send + Sync>;

/// What kube's finalizer asks of an error: to be one itself.
#[derive(Debug)]
struct Failed(kube::Error);

impl std::fmt::Display for Failed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Error for Failed {}

impl From<kube::Error> for Failed {
    fn from(error: kube::Error) -> Self {
        Failed(error)
    }
}

struct Context {
    client: Client,
    recorder: Recorder,
}

fn is_conflict(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 409)
}

/// Says the status, and nothing else.
async fn say(context: &Context, shelf: &Shelf, phase: &str, ready: i32) -> Result<(), Failed> {
    let shelves: Api<Shelf> = Api::namespaced(context.client.clone(), &shelf.namespace().unwrap_or_default());
    let status = json!({ "phase": phase, "readyReaders": ready, "observedGeneration": shelf.metadata.generation });
    let patch = json!({ "apiVersion": Shelf::api_version(&()), "kind": Shelf::kind(&()), "status": status });
    shelves.patch_status(&shelf.name_any(), &PatchParams::apply(MANAGER).force(), &Patch::Apply(patch)).await?;
    Ok(())
}

async fn tell(context: &Context, shelf: &Shelf, kind: EventType, reason: &str, note: String) -> Result<(), Failed> {
    let event = Event { type_: kind, reason: reason.into(), note: Some(note), action: "Reconcile".into(), secondary: None };
    context.recorder.publish(&event, &shelf.object_ref(&())).await?;
    Ok(())
}

async fn stock(shelf: Arc<Shelf>, context: &Context) -> Result<Action, Failed> {
    let (name, namespace) = (shelf.name_any(), shelf.namespace().unwrap_or_default());
    let deployments: Api<Deployment> = Api::namespaced(context.client.clone(), &namespace);
    let labels = json!({ "shelf": name });
    let wanted = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": name, "labels": labels, "ownerReferences": [shelf.controller_owner_ref(&()).expect("it has a uid")] },
        "spec": {
            "replicas": shelf.spec.readers,
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels, "annotations": { "topic": shelf.spec.topic } },
                "spec": { "terminationGracePeriodSeconds": 1, "containers": [{ "name": "reader", "image": "registry.example/reader:1" }] },
            },
        },
    });
    let applied = match deployments.patch(&name, &PatchParams::apply(MANAGER), &Patch::Apply(wanted)).await {
        Err(error) if is_conflict(&error) => {
            tell(context, &shelf, EventType::Warning, "Conflict", error.to_string()).await?;
            say(context, &shelf, "Conflict", 0).await?;
            return Ok(Action::requeue(Duration::from_millis(200)));
        }
        applied => applied?,
    };
    let ready = applied.status.as_ref().and_then(|status| status.ready_replicas).unwrap_or(0);
    let is_ready = ready == shelf.spec.readers;
    let before = shelf.status.as_ref().and_then(|status| status.phase.clone()).unwrap_or_default();
    if is_ready && before != "Ready" {
        tell(context, &shelf, EventType::Normal, "Stocked", format!("{ready} readers")).await?;
    }
    say(context, &shelf, if is_ready { "Ready" } else { "Stocking" }, ready).await?;
    Ok(Action::await_change())
}

/// Before a shelf may go, its topic is written down.
async fn clear(shelf: Arc<Shelf>, context: &Context) -> Result<Action, Failed> {
    let maps: Api<ConfigMap> = Api::namespaced(context.client.clone(), &shelf.namespace().unwrap_or_default());
    let name = format!("{}-was", shelf.name_any());
    let left = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "topic": shelf.spec.topic } });
    maps.patch(&name, &PatchParams::apply(MANAGER), &Patch::Apply(left)).await?;
    Ok(Action::await_change())
}

async fn reconcile(shelf: Arc<Shelf>, context: Arc<Context>) -> Result<Action, kube::runtime::finalizer::Error<Failed>> {
    let shelves: Api<Shelf> = Api::namespaced(context.client.clone(), &shelf.namespace().unwrap_or_default());
    finalizer(&shelves, "library.example.org/shelf", shelf, |event| async {
        match event {
            Finalizer::Apply(shelf) => stock(shelf, &context).await,
            Finalizer::Cleanup(shelf) => clear(shelf, &context).await,
        }
    })
    .await
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let client = Client::try_default().await?;
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    definitions.patch(Shelf::crd_name(), &PatchParams::apply(MANAGER).force(), &Patch::Apply(Shelf::crd())).await?;
    await_condition(definitions, Shelf::crd_name(), conditions::is_crd_established()).await?;
    let namespace = env::var("SHELVES").unwrap_or("default".into());
    let recorder = Recorder::new(client.clone(), Reporter::from(MANAGER));
    Controller::new(Api::<Shelf>::namespaced(client.clone(), &namespace), watcher::Config::default())
        .owns(Api::<Deployment>::namespaced(client.clone(), &namespace), watcher::Config::default())
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(200)), Arc::new(Context { client, recorder }))
        .for_each(|outcome| async move {
            match outcome {
                Ok((shelf, _)) => println!("reconciled {}", shelf.name),
                Err(error) => println!("ERROR {error}"),
            }
        })
        .await;
    Ok(())
}
