import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { Reconciler } from '#libs/control-loop';
import type { GroupResource, KubeObject } from '#libs/kernel';

/** What keeps objects of a kind for as long as somebody uses them: admission puts the finalizer on, its controller takes it off. */
export interface Protection<I> {
  /** Upstream's name of the controller. */
  readonly controller: string;
  readonly resource: GroupResource;
  readonly finalizer: string;
  /** Resources of whoever may use them, which `freed` looks at. */
  readonly users: readonly GroupResource[];
  index?(cluster: ClusterState): I;
  /** Takes an append about other kinds into the index, and names the objects that it may have set free, by key. */
  freed(index: I, append: FoldedAppend, cluster: ClusterState): Iterable<string>;
  isUsed(object: KubeObject, index: I, cluster: ClusterState): boolean;
}

/** Lets objects go that are to be deleted and that nobody uses (upstream: the controllers of package `volume/…protection`). Subjects: keys of the objects. */
export function protectionController<I>({ controller, resource, finalizer, users, index, freed, isUsed }: Protection<I>): Reconciler<I> {
  const waits = (object: KubeObject | undefined): boolean =>
    object?.metadata.deletionTimestamp !== undefined && object.metadata.finalizers?.includes(finalizer) === true;
  return {
    name: controller,
    behaviour: '1',
    stream: 'controller-decisions',
    config: {},

    index: (cluster) => index?.(cluster) as I,

    *allSubjects(_index, cluster): Iterable<string> {
      for (const [key, object] of cluster.table(resource).objects) if (waits(object)) yield key;
    },

    follows: [resource, ...users],

    *follow(own, append, cluster): Iterable<string> {
      const { change } = append;
      if (!change) return;
      if (change.resource === resource) {
        if (change.type !== 'DELETED' && waits(change.object)) yield change.key;
        return;
      }
      for (const key of freed(own, append, cluster)) if (waits(cluster.byKey(resource, key))) yield key;
    },

    reconcile(cluster, own, subject) {
      const object = cluster.byKey(resource, subject);
      if (!object || !waits(object) || isUsed(object, own, cluster)) return undefined;
      const { namespace, name, uid, resourceVersion, finalizers = [] } = object.metadata;
      const rest = finalizers.filter((other) => other !== finalizer);
      const patch = { metadata: { uid, resourceVersion, finalizers: rest.length > 0 ? rest : null } };
      const target = { resource, namespace, name };
      return { steps: [{ step: 'release', request: { verb: 'patch', target, patchType: 'merge', patch } }] };
    },
  };
}
