"""A small operator as its author writes it: for each Shelf a Deployment with as many readers as it says, applied by the server.

kopf watches, keeps the finalizer and tells of events; the official client applies.
"""

import kopf
from kubernetes import client, config, dynamic
from kubernetes.dynamic.exceptions import ConflictError

GROUP = "library.example.org"
MANAGER = "shelf-operator"
INTEGER, STRING = {"type": "integer"}, {"type": "string"}
STATUS = {"phase": STRING, "readyReaders": INTEGER, "observedGeneration": {"type": "integer", "format": "int64"}}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"shelves.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"kind": "Shelf", "plural": "shelves", "singular": "shelf", "shortNames": ["sh"]},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.readers", "statusReplicasPath": ".status.readyReaders"},
                },
                "additionalPrinterColumns": [
                    {"name": "Readers", "type": "integer", "jsonPath": ".spec.readers"},
                    {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
                ],
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "required": ["spec"],
                        "x-kubernetes-validations": [
                            {"rule": "self.metadata.name != 'forbidden'", "message": "this name is not for shelves"}
                        ],
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["topic"],
                                "properties": {
                                    "readers": {**INTEGER, "format": "int32", "minimum": 0, "maximum": 9, "default": 1},
                                    "topic": STRING,
                                },
                            },
                            "status": {"type": "object", "properties": STATUS},
                        },
                    }
                },
            }
        ],
    },
}


def apply(body, **options):
    resources = dynamic.DynamicClient(client.ApiClient()).resources
    kind = resources.get(api_version=body["apiVersion"], kind=body["kind"])
    return kind.server_side_apply(body=body, field_manager=MANAGER, **options)


def deployment_of(name, body, spec):
    labels = {"shelf": name}
    container = {"name": "reader", "image": "registry.example/reader:1"}
    template = {
        "metadata": {"labels": labels, "annotations": {"topic": spec["topic"]}},
        "spec": {"terminationGracePeriodSeconds": 1, "containers": [container]},
    }
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": dict(labels)},
        "spec": {"replicas": spec["readers"], "selector": {"matchLabels": labels}, "template": template},
    }
    kopf.append_owner_reference(deployment, owner=body)
    return deployment


@kopf.on.startup()
def begin(settings, **_):
    settings.persistence.finalizer = f"{GROUP}/shelf"
    config.load_kube_config()
    apply(DEFINITION, force_conflicts=True)


@kopf.on.create(GROUP, "v1", "shelves")
@kopf.on.update(GROUP, "v1", "shelves", field="spec")
def stock(name, namespace, body, spec, meta, patch, **_):
    try:
        apply(deployment_of(name, body, spec), namespace=namespace)
    except ConflictError as conflict:
        kopf.warn(body, reason="Conflict", message=conflict.summary())
        patch.status["phase"] = "Conflict"
        raise kopf.TemporaryError("somebody else owns what is to be changed", delay=0.2)
    patch.status["phase"] = "Stocking"
    patch.status["observedGeneration"] = meta["generation"]


@kopf.index("apps", "v1", "deployments", labels={"shelf": kopf.PRESENT})
def readers(name, namespace, status, **_):
    return {(namespace, name): status.get("readyReplicas") or 0}


@kopf.timer(GROUP, "v1", "shelves", interval=0.1)
def count(name, namespace, body, spec, status, patch, readers, **_):
    """Says in a shelf's status how many of its readers are ready."""
    if status.get("phase") not in ("Stocking", "Ready"):
        return
    ready = next(iter(readers.get((namespace, name), [])), 0)
    said = {"phase": "Ready" if ready == spec["readers"] else "Stocking", "readyReaders": ready}
    if said == {key: status.get(key) for key in said}:
        return
    patch.status.update(said)
    if said["phase"] == "Ready":
        kopf.event(body, type="Normal", reason="Stocked", message=f"{ready} readers")


@kopf.on.delete(GROUP, "v1", "shelves")
def clear(name, namespace, spec, **_):
    """Before a shelf may go, its topic is written down."""
    left = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{name}-was"}, "data": {"topic": spec["topic"]}}
    apply(left, namespace=namespace)
