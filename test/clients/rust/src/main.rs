//! kube-rs against the API server that KUBECONFIG names.
//!
//! Prints `ok NAME` or `not ok NAME -- why` for each check. LINE_KUBECONFIG goes through a line that POST LINE/cut breaks and mends.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::future::Future;
use std::time::{Duration, Instant};

use futures::{AsyncBufReadExt, StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{Api, AttachParams, DeleteParams, ListParams, LogParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{watcher, WatchStreamExt};
use kube::{Client, Config, ResourceExt};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

macro_rules! demand {
    ($holds:expr, $($why:tt)+) => {
        if !$holds {
            return Err(format!($($why)+).into());
        }
    };
}

async fn client_of(variable: &str) -> Result<Client, Box<dyn Error + Send + Sync>> {
    let kubeconfig = Kubeconfig::read_from(env::var(variable)?)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}

/// Breaks every connection of the line; new ones can be made at once.
async fn cut_line() -> Outcome {
    let url = env::var("LINE")?;
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = tokio::net::TcpStream::connect(host).await?;
    stream.write_all(format!("POST /cut HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").as_bytes()).await?;
    stream.read_to_end(&mut Vec::new()).await?;
    Ok(())
}

async fn eventually(what: &str, mut holds: impl FnMut() -> bool) -> Outcome {
    let began = Instant::now();
    while !holds() {
        demand!(began.elapsed() < Duration::from_secs(60), "never came true: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

fn config_map(name: &str, label: &str, n: u32) -> ConfigMap {
    serde_json::from_value(json!({ "metadata": { "name": name, "labels": { "check": label } }, "data": { "n": n.to_string() } }))
        .expect("a ConfigMap")
}

fn number_of(config_map: &ConfigMap) -> String {
    config_map.data.as_ref().and_then(|data| data.get("n").cloned()).unwrap_or_default()
}

async fn running_pod(client: &Client, name: &str, command: &[&str]) -> Result<Api<Pod>, Box<dyn Error + Send + Sync>> {
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let pod: Pod = serde_json::from_value(json!({
        "metadata": { "name": name },
        "spec": { "containers": [{ "name": "app", "image": "registry.example/app:1", "command": command }] },
    }))?;
    pods.create(&PostParams::default(), &pod).await?;
    tokio::time::timeout(Duration::from_secs(60), await_condition(pods.clone(), name, conditions::is_pod_running())).await??;
    Ok(pods)
}

async fn reflector_follows(client: Client) -> Outcome {
    let direct: Api<ConfigMap> = Api::default_namespaced(client);
    let through_line: Api<ConfigMap> = Api::default_namespaced(client_of("LINE_KUBECONFIG").await?);
    let (reader, writer) = reflector::store::<ConfigMap>();
    let stream = watcher(through_line, watcher::Config::default().labels("check=reflector")).default_backoff().reflect(writer);
    let following = tokio::spawn(stream.for_each(|_| futures::future::ready(())));
    let mut kept: BTreeMap<String, ConfigMap> = BTreeMap::new();
    for n in 0..30 {
        for name in ["reflected-a", "reflected-b"] {
            let mut wanted = config_map(name, "reflector", n);
            let stored = match kept.get(name) {
                None => direct.create(&PostParams::default(), &wanted).await?,
                Some(before) => {
                    wanted.metadata.resource_version = before.resource_version();
                    direct.replace(name, &PostParams::default(), &wanted).await?
                }
            };
            kept.insert(name.into(), stored);
        }
        if n % 10 == 9 {
            cut_line().await?;
        }
    }
    direct.delete("reflected-b", &DeleteParams::default()).await?;
    eventually("the store has what the server has", || {
        let last = reader.get(&ObjectRef::new("reflected-a").within("default"));
        last.is_some_and(|object| number_of(&object) == "29") && reader.len() == 1
    })
    .await?;
    following.abort();
    Ok(())
}

async fn watch_tells_in_order(client: Client) -> Outcome {
    let api: Api<ConfigMap> = Api::default_namespaced(client);
    let version = api.list(&ListParams::default()).await?.metadata.resource_version.unwrap_or_default();
    let mut events = api.watch(&WatchParams::default().labels("check=watch").timeout(60), &version).await?.boxed();
    let mut stored = api.create(&PostParams::default(), &config_map("watched", "watch", 0)).await?;
    for n in 1..=20 {
        stored.data = config_map("watched", "watch", n).data;
        stored = api.replace("watched", &PostParams::default(), &stored).await?;
    }
    api.delete("watched", &DeleteParams::default()).await?;
    let mut told = Vec::new();
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Added(object) => told.push(format!("ADDED {}", number_of(&object))),
            WatchEvent::Modified(object) => told.push(format!("MODIFIED {}", number_of(&object))),
            WatchEvent::Deleted(object) => {
                told.push(format!("DELETED {}", number_of(&object)));
                break;
            }
            _ => {}
        }
    }
    let mut expected = vec!["ADDED 0".to_string()];
    expected.extend((1..=20).map(|n| format!("MODIFIED {n}")));
    expected.push("DELETED 20".into());
    demand!(told == expected, "it was told {told:?}");
    Ok(())
}

async fn apply_merges_and_conflicts(client: Client) -> Outcome {
    let api: Api<ConfigMap> = Api::default_namespaced(client);
    let say = |data: serde_json::Value| Patch::Apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "applied" }, "data": data }));
    api.patch("applied", &PatchParams::apply("one"), &say(json!({ "a": "1", "b": "1" }))).await?;
    api.patch("applied", &PatchParams::apply("two"), &say(json!({ "c": "2" }))).await?;
    let refused = api.patch("applied", &PatchParams::apply("two"), &say(json!({ "a": "2", "c": "2" }))).await;
    demand!(matches!(&refused, Err(kube::Error::Api(status)) if status.code == 409), "no conflict: {refused:?}");
    api.patch("applied", &PatchParams::apply("two").force(), &say(json!({ "a": "2", "c": "2" }))).await?;
    let left = api.patch("applied", &PatchParams::apply("one"), &say(json!({}))).await?.data.unwrap_or_default();
    let expected = BTreeMap::from([("a".to_string(), "2".to_string()), ("c".to_string(), "2".to_string())]);
    demand!(left == expected, "left is {left:?}");
    Ok(())
}

async fn stale_update_is_refused(client: Client) -> Outcome {
    let api: Api<ConfigMap> = Api::default_namespaced(client);
    let first = api.create(&PostParams::default(), &config_map("stale", "stale", 0)).await?;
    api.patch("stale", &PatchParams::default(), &Patch::Merge(json!({ "data": { "n": "1" } }))).await?;
    let refused = api.replace("stale", &PostParams::default(), &first).await;
    demand!(matches!(&refused, Err(kube::Error::Api(status)) if status.reason == "Conflict"), "no conflict: {refused:?}");
    Ok(())
}

async fn pages_have_everything_once(client: Client) -> Outcome {
    let api: Api<ConfigMap> = Api::default_namespaced(client);
    for n in 0..25 {
        api.create(&PostParams::default(), &config_map(&format!("page-{n:02}"), "pages", n)).await?;
    }
    let mut params = ListParams::default().labels("check=pages").limit(10);
    let mut names = Vec::new();
    loop {
        let page = api.list(&params).await?;
        names.extend(page.items.iter().map(|object| object.name_any()));
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => break,
        }
    }
    let expected: Vec<String> = (0..25).map(|n| format!("page-{n:02}")).collect();
    demand!(names == expected, "the pages have {names:?}");
    Ok(())
}

async fn exec_and_logs(client: Client) -> Outcome {
    let pods = running_pod(&client, "talks", &["sh", "-c", "echo begun; sleep 3600"]).await?;
    let mut process = pods.exec("talks", ["sh", "-c", "read line; echo got $line"], &AttachParams::default().stdin(true).stderr(false)).await?;
    let mut input = process.stdin().ok_or("no input")?;
    input.write_all(b"it\n").await?;
    input.shutdown().await?;
    let mut output = String::new();
    process.stdout().ok_or("no output")?.read_to_string(&mut output).await?;
    demand!(output == "got it\n", "it said {output:?}");
    let mut lines = pods.log_stream("talks", &LogParams { follow: true, ..LogParams::default() }).await?.lines();
    let first = tokio::time::timeout(Duration::from_secs(30), lines.try_next()).await??;
    demand!(first.as_deref() == Some("begun"), "the log begins with {first:?}");
    pods.delete("talks", &DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() }).await?;
    Ok(())
}

async fn run<F: Future<Output = Outcome> + Send + 'static>(name: &str, check: F) {
    let told = match tokio::spawn(check).await {
        Ok(Ok(())) => format!("ok {name}"),
        Ok(Err(why)) => format!("not ok {name} -- {}", why.to_string().replace('\n', " ")),
        Err(panic) => format!("not ok {name} -- {panic}"),
    };
    println!("{told}");
}

#[tokio::main]
async fn main() {
    let client = client_of("KUBECONFIG").await.expect("a client");
    run("a reflector has what the server has, though its connection is cut", reflector_follows(client.clone())).await;
    run("a watch tells every change in order", watch_tells_in_order(client.clone())).await;
    run("server-side apply merges, tells conflicts and removes what is no longer said", apply_merges_and_conflicts(client.clone())).await;
    run("an update of a version that is gone is refused", stale_update_is_refused(client.clone())).await;
    run("pages have every object once", pages_have_everything_once(client.clone())).await;
    run("exec passes input and output, and a log is followed", exec_and_logs(client)).await;
}
