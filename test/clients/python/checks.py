"""The official Python client against the API server that KUBECONFIG names.

Prints `ok NAME` or `not ok NAME -- why` for each check. LINE_KUBECONFIG goes through a line that POST LINE/cut, /close and /open break and mend.
"""

import multiprocessing
import os
import sys
import threading
import time
import traceback
import urllib.request

from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.informer import ADDED, DELETED, MODIFIED, SharedInformer
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock
from kubernetes.stream import portforward, stream

NAMESPACE = "default"
checks = []


def check(name):
    def add(function):
        checks.append((name, function))
        return function

    return add


def eventually(what, attempt, seconds=60):
    """Awaits a condition."""
    deadline = time.monotonic() + seconds
    while True:
        found = attempt()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"never came true: {what}")
        time.sleep(0.02)


def equal(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


def refused(code, attempt):
    try:
        attempt()
    except ApiException as error:
        equal(error.status, code)
        return error
    raise AssertionError(f"it was not refused with {code}")


def line(deed):
    urllib.request.urlopen(urllib.request.Request(f"{os.environ['LINE']}/{deed}", method="POST")).close()


def core_through_line():
    return client.CoreV1Api(config.new_client_from_config(os.environ["LINE_KUBECONFIG"]))


def config_map(name, labels=None, **data):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels=labels), data=data)


def running_pod(core, name):
    container = client.V1Container(
        name="app", image="registry.example/app:1", ports=[client.V1ContainerPort(container_port=8080)]
    )
    core.create_namespaced_pod(
        NAMESPACE,
        client.V1Pod(metadata=client.V1ObjectMeta(name=name), spec=client.V1PodSpec(containers=[container])),
    )
    eventually("the pod runs", lambda: core.read_namespaced_pod(name, NAMESPACE).status.phase == "Running")


def informer(label, told):
    """An informer of the ConfigMaps with a label, through the line; what it says is added to `told`."""
    made = SharedInformer(core_through_line().list_namespaced_config_map, namespace=NAMESPACE, label_selector=label)
    for verb in (ADDED, MODIFIED, DELETED):
        made.add_event_handler(
            verb, lambda seen, verb=verb: told.append(f"{seen.metadata.name} {verb} {(seen.data or {}).get('n')}")
        )
    made.start()
    return made


@check("an informer sees every addition, change and deletion in order, though its connection is cut")
def informer_in_order():
    core, told, labels, names = client.CoreV1Api(), [], {"in-order": "yes"}, ["a", "b", "c"]
    running = informer("in-order", told)
    for name in names:
        core.create_namespaced_config_map(NAMESPACE, config_map(name, labels, n="0"))
    eventually("the informer has begun", lambda: len(told) == 3)
    for n in range(1, 31):
        if n % 10 == 0:
            line("cut")
        for name in names:
            core.replace_namespaced_config_map(name, NAMESPACE, config_map(name, labels, n=str(n)))
    for name in names:
        core.delete_namespaced_config_map(name, NAMESPACE)
    eventually("the last deletion is seen", lambda: "c DELETED 30" in told)
    for name in names:
        expected = ["ADDED 0"] + [f"MODIFIED {n}" for n in range(1, 31)] + ["DELETED 30"]
        equal([text for text in told if text.startswith(f"{name} ")], [f"{name} {text}" for text in expected])
    line("cut")


@check("an informer whose version is too old lists again")
def informer_expired():
    core, told, labels = client.CoreV1Api(), [], {"expired": "yes"}
    for name in ("kept", "gone"):
        core.create_namespaced_config_map(NAMESPACE, config_map(name, labels, n="0"))
    running = informer("expired", told)
    eventually("both are listed", lambda: len(told) == 2)
    line("close")
    core.delete_namespaced_config_map("gone", NAMESPACE)
    for n in range(1, 451):
        core.replace_namespaced_config_map("kept", NAMESPACE, config_map("kept", labels, n=str(n)))
    line("open")
    eventually("the cache is as the cluster is", lambda: [item.data["n"] for item in running.cache.list()] == ["450"])
    equal(sorted(told[2:]), ["gone DELETED 0", "kept MODIFIED 450"])
    core.replace_namespaced_config_map("kept", NAMESPACE, config_map("kept", labels, n="451"))
    eventually("it goes on", lambda: "kept MODIFIED 451" in told)


@check("a watch begins with what is there, goes on from where it ended, and tells of expired versions")
def watches():
    core = client.CoreV1Api()
    for n in range(3):
        core.create_namespaced_config_map(NAMESPACE, config_map(f"watched-{n}", {"watched": "yes"}))
    watching = watch.Watch()
    listed = watching.stream(core.list_namespaced_config_map, NAMESPACE, label_selector="watched", timeout_seconds=1)
    seen = []
    for event in listed:
        seen.append((event["type"], event["object"].metadata.name))
        if len(seen) == 3:
            core.patch_namespaced_config_map("watched-0", NAMESPACE, {"data": {"a": "1"}})
        if len(seen) == 4:
            break
    equal(seen, [("ADDED", f"watched-{n}") for n in range(3)] + [("MODIFIED", "watched-0")])
    first = core.read_namespaced_config_map("watched-0", NAMESPACE).metadata.resource_version
    for n in range(450):
        core.patch_namespaced_config_map("watched-1", NAMESPACE, {"data": {"n": str(n)}})
    again = watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE, resource_version=first, timeout_seconds=5)
    refused(410, lambda: next(again))


@check("writes of an old version are conflicts, of a status too")
def conflicts():
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    first = core.create_namespaced_config_map(NAMESPACE, config_map("raced", n="0"))
    first.data = {"n": "1"}
    core.replace_namespaced_config_map("raced", NAMESPACE, first)
    error = refused(409, lambda: core.replace_namespaced_config_map("raced", NAMESPACE, first))
    assert '"reason":"Conflict"' in error.body, error.body
    labels = {"app": "none"}
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels),
        spec=client.V1PodSpec(containers=[client.V1Container(name="app", image="registry.example/app:1")]),
    )
    spec = client.V1DeploymentSpec(
        replicas=1, paused=True, selector=client.V1LabelSelector(match_labels=labels), template=template
    )
    made = apps.create_namespaced_deployment(
        NAMESPACE, client.V1Deployment(metadata=client.V1ObjectMeta(name="raced"), spec=spec)
    )
    eventually(
        "somebody else writes its status",
        lambda: apps.read_namespaced_deployment("raced", NAMESPACE).metadata.resource_version
        != made.metadata.resource_version,
    )
    made.status = client.V1DeploymentStatus(replicas=7)
    refused(409, lambda: apps.replace_namespaced_deployment_status("raced", NAMESPACE, made))


@check("lists come in pages that hold together")
def pages():
    core, names, versions, more = client.CoreV1Api(), [], set(), None
    for n in range(10, 35):
        core.create_namespaced_config_map(NAMESPACE, config_map(f"page-{n}", {"page": "yes"}))
    while more is None or more:
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="page", limit=10, _continue=more)
        names += [item.metadata.name for item in page.items]
        versions.add(page.metadata.resource_version)
        more = page.metadata._continue or ""
        core.create_namespaced_config_map(NAMESPACE, config_map(f"page-1{len(names)}-between", {"page": "yes"}))
    equal(names, [f"page-{n}" for n in range(10, 35)])
    equal(len(versions), 1)


@check("patches: strategic, JSON, and apply with its conflicts")
def patches():
    core = client.CoreV1Api()
    core.create_namespaced_config_map(NAMESPACE, config_map("patched", a="1"))
    core.patch_namespaced_config_map("patched", NAMESPACE, {"data": {"b": "2", "a": None}})
    changed = core.patch_namespaced_config_map(
        "patched", NAMESPACE, [{"op": "test", "path": "/data/b", "value": "2"}, {"op": "add", "path": "/data/c", "value": "3"}]
    )
    equal(changed.data, {"b": "2", "c": "3"})
    wrong = [{"op": "test", "path": "/data/b", "value": "x"}]
    refused(422, lambda: core.patch_namespaced_config_map("patched", NAMESPACE, wrong))
    maps = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")
    mine = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"e": "5"}}
    equal(maps.server_side_apply(body=mine, namespace=NAMESPACE, field_manager="mine").data.e, "5")
    theirs = {**mine, "data": {"e": "6"}}
    try:
        maps.server_side_apply(body=theirs, namespace=NAMESPACE, field_manager="theirs")
        raise AssertionError("it was not refused")
    except dynamic.exceptions.ConflictError as conflict:
        body = conflict.body.decode() if isinstance(conflict.body, bytes) else conflict.body
        assert '"field":".data.e"' in body, body
    forced = maps.server_side_apply(body=theirs, namespace=NAMESPACE, field_manager="theirs", force_conflicts=True)
    equal(forced.data.e, "6")


@check("objects of any kind, found by discovery")
def dynamic_client():
    resources = dynamic.DynamicClient(client.ApiClient()).resources
    budgets = resources.get(api_version="policy/v1", kind="PodDisruptionBudget")
    selector = {"matchLabels": {"app": "any"}}
    body = {"kind": "PodDisruptionBudget", "metadata": {"name": "any"}, "spec": {"minAvailable": 1, "selector": selector}}
    budgets.create(body=body, namespace=NAMESPACE)
    equal([item.metadata.name for item in budgets.get(namespace=NAMESPACE).items], ["any"])
    watching = budgets.watch(namespace=NAMESPACE, timeout=5)
    equal(next(watching)["object"].metadata.name, "any")
    budgets.delete(name="any", namespace=NAMESPACE)
    equal(budgets.get(namespace=NAMESPACE).items, [])


@check("exec: output, input, exit status")
def execs():
    core = client.CoreV1Api()
    running_pod(core, "executed")

    def run(*command, **more):
        return stream(core.connect_get_namespaced_pod_exec, "executed", NAMESPACE, command=list(command), stdout=True, stderr=True, **more)

    equal(run("echo", "hi there"), "hi there\n")
    failed = run("sh", "-c", "echo out; exit 3", _preload_content=False)
    failed.run_forever(timeout=30)
    equal((failed.read_stdout(), failed.returncode), ("out\n", 3))
    typed = run("sh", stdin=True, _preload_content=False)
    typed.write_stdin("echo typed\n")
    equal(typed.readline_stdout(timeout=30), "typed")
    typed.write_stdin("exit 4\n")
    typed.run_forever(timeout=30)
    equal(typed.returncode, 4)


@check("logs, followed until the pod goes")
def logs():
    core = client.CoreV1Api()
    follow = core.read_namespaced_pod_log("executed", NAMESPACE, follow=True, _preload_content=False)
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(follow.stream()), daemon=True)
    reader.start()
    eventually("the log begins", lambda: core.read_namespaced_pod_log("executed", NAMESPACE))
    core.delete_namespaced_pod("executed", NAMESPACE, grace_period_seconds=1)
    reader.join(60)
    assert not reader.is_alive(), "the log goes on"
    assert b"".join(lines), "nothing was in the log"


@check("a forwarded port reaches the container that names it")
def port_forwards():
    core = client.CoreV1Api()
    running_pod(core, "forwarded")
    forward = portforward(core.connect_get_namespaced_pod_portforward, "forwarded", NAMESPACE, ports="8080")
    socket = forward.socket(8080)
    socket.setblocking(True)
    socket.sendall(b"GET / HTTP/1.1\r\nHost: pod\r\nConnection: close\r\n\r\n")
    answer = b""
    while True:
        chunk = socket.recv(4096)
        if not chunk:
            break
        answer += chunk
    equal(forward.error(8080), None)
    assert b"its port 8080" in answer, answer


def lead(name, leads):
    """A candidate for a lease of 4 s, until its process ends."""
    config.load_kube_config()
    lock = LeaseLock("elected", NAMESPACE, name)
    election = electionconfig.Config(
        lock, lease_duration=4, renew_deadline=3, retry_period=1, onstarted_leading=leads.set, onstopped_leading=None
    )
    leaderelection.LeaderElection(election).run()


@check("of two candidates one leads, and the other when that one is gone")
def elections():
    context = multiprocessing.get_context("fork")
    leads = {name: context.Event() for name in ("first", "second")}
    candidates = {name: context.Process(target=lead, args=(name, leads[name]), daemon=True) for name in leads}
    leases = client.CoordinationV1Api()
    try:
        candidates["first"].start()
        assert leads["first"].wait(30), "the first does not lead"
        candidates["second"].start()
        renewed = leases.read_namespaced_lease("elected", NAMESPACE).spec.renew_time
        eventually(
            "the first renews", lambda: leases.read_namespaced_lease("elected", NAMESPACE).spec.renew_time > renewed
        )
        assert not leads["second"].is_set(), "both lead"
        candidates["first"].kill()
        assert leads["second"].wait(30), "the second does not lead"
        equal(leases.read_namespaced_lease("elected", NAMESPACE).spec.holder_identity, "second")
    finally:
        for candidate in candidates.values():
            if candidate.pid:
                candidate.kill()


def main():
    config.load_kube_config()
    failed = False
    for name, function in checks:
        try:
            function()
            print(f"ok {name}", flush=True)
        except Exception as error:
            failed = True
            traceback.print_exc()
            print(f"not ok {name} -- {' '.join(repr(error).split())}", flush=True)
        # What the next check needs is there again.
        line("open")
    # Informers whose watch has no end cannot be joined.
    sys.stdout.flush()
    os._exit(1 if failed else 0)


main()
