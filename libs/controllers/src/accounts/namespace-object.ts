import type { Reconciler, Reconciliation } from '#libs/control-loop';
import { objectKey, type GroupResource, type JsonObject, type KubeObject } from '#libs/kernel';

/** An object that every active namespace has. */
export interface NamespaceObject {
  /** Name of the controller that sees to it. */
  controller: string;
  resource: GroupResource;
  name: string;
  /** As a client would create it. */
  object: JsonObject;
  config: JsonObject;
  /** The object as it should be, when what is there differs. */
  corrected?(present: KubeObject): KubeObject | undefined;
}

/** Keeps one object in every active namespace: made with it, made again when it is deleted. Subjects: names of namespaces. */
export function namespaceObjectController(wanted: NamespaceObject): Reconciler {
  const { resource, name } = wanted;
  return {
    name: wanted.controller,
    behaviour: '1',
    stream: 'controller-decisions',
    config: wanted.config,

    *allSubjects(_index, cluster): Iterable<string> {
      for (const { metadata } of cluster.table('namespaces').objects.values()) yield metadata.name;
    },

    follows: ['namespaces', resource],
    *follow(_index, { change }): Iterable<string> {
      if (!change) return;
      if (change.resource === 'namespaces' && change.type !== 'DELETED') yield change.object.metadata.name;
      if (change.resource === resource && change.key === objectKey(change.namespace, name) && change.type !== 'ADDED')
        yield change.namespace;
    },

    reconcile(cluster, _index, namespace): Reconciliation | undefined {
      const home = cluster.get('namespaces', undefined, namespace);
      if (!home || home.metadata.deletionTimestamp || home.status?.phase === 'Terminating') return undefined;
      const present = cluster.get(resource, namespace, name);
      if (!present) {
        const object = {
          ...wanted.object,
          metadata: { ...(wanted.object.metadata as JsonObject), name, namespace },
        } as unknown as KubeObject;
        return { steps: [{ step: 'create', request: { verb: 'create', resource, namespace, object } }] };
      }
      const object = wanted.corrected?.(present);
      return object && { steps: [{ step: 'correct', request: { verb: 'update', target: { resource, namespace, name }, object } }] };
    },
  };
}
