import type { ClusterState, ObjectChange } from '#libs/cluster-state';
import { controllerOf, keyOf, type GroupResource, type KubeObject, type ObjectKey } from '#libs/kernel';
import type { LabelSelector } from '#libs/kube-api';
import { selectorOf } from './selector';

/**
 * Which objects without a controller match the selector of which owner: an owner adopts them. Objects that have their controller,
 * nearly all, are never looked at here.
 */
export class ClaimIndex {
  /** Selectors by namespace and owner. */
  private readonly selectors = new Map<string, Map<ObjectKey, LabelSelector>>();
  /** Objects without a controller, by namespace. */
  private readonly orphans = new Map<string, Map<ObjectKey, KubeObject>>();
  private readonly byOwner = new Map<ObjectKey, Set<ObjectKey>>();
  private readonly byOrphan = new Map<ObjectKey, Set<ObjectKey>>();

  constructor(
    cluster: ClusterState,
    private readonly owners: GroupResource,
    private readonly dependents: GroupResource,
  ) {
    for (const owner of cluster.table(owners).objects.values()) this.setOwner(keyOf(owner), owner);
    for (const dependent of cluster.table(dependents).objects.values()) this.setDependent(keyOf(dependent), dependent);
  }

  /** Objects that the owner may adopt. */
  claimable(owner: ObjectKey): Iterable<ObjectKey> {
    return this.byOwner.get(owner) ?? [];
  }

  /** Follows a change; gives the owners that may have something to adopt now. */
  follow(change: ObjectChange): Iterable<ObjectKey> {
    const { resource, key, type, object, before } = change;
    if (resource === this.owners) {
      if (type === 'DELETED') this.dropOwner(key, object);
      else if (before?.spec?.selector !== object.spec?.selector || type === 'ADDED') this.setOwner(key, object);
      return [];
    }
    if (resource !== this.dependents) return [];
    if (type !== 'DELETED') return this.setDependent(key, object);
    this.dropDependent(key, object);
    return [];
  }

  private setOwner(key: ObjectKey, owner: KubeObject): void {
    this.dropOwner(key, owner);
    const namespace = owner.metadata.namespace ?? '';
    const selector = selectorOf(owner);
    let selectors = this.selectors.get(namespace);
    if (!selectors) this.selectors.set(namespace, (selectors = new Map()));
    selectors.set(key, selector);
    for (const [orphanKey, orphan] of this.orphans.get(namespace) ?? []) {
      if (selector.matches(orphan.metadata.labels)) this.link(key, orphanKey);
    }
  }

  private dropOwner(key: ObjectKey, owner: KubeObject): void {
    const namespace = owner.metadata.namespace ?? '';
    const selectors = this.selectors.get(namespace);
    selectors?.delete(key);
    if (selectors?.size === 0) this.selectors.delete(namespace);
    for (const orphan of this.byOwner.get(key) ?? []) this.byOrphan.get(orphan)?.delete(key);
    this.byOwner.delete(key);
  }

  private setDependent(key: ObjectKey, object: KubeObject): Iterable<ObjectKey> {
    const namespace = object.metadata.namespace ?? '';
    const known = this.orphans.get(namespace)?.get(key);
    if (controllerOf(object)) {
      if (known) this.dropDependent(key, object);
      return [];
    }
    if (known && known.metadata.labels === object.metadata.labels) {
      this.orphans.get(namespace)?.set(key, object);
      return [];
    }
    this.dropDependent(key, object);
    let orphans = this.orphans.get(namespace);
    if (!orphans) this.orphans.set(namespace, (orphans = new Map()));
    orphans.set(key, object);
    for (const [owner, selector] of this.selectors.get(namespace) ?? []) {
      if (selector.matches(object.metadata.labels)) this.link(owner, key);
    }
    return this.byOrphan.get(key) ?? [];
  }

  private dropDependent(key: ObjectKey, object: KubeObject): void {
    const namespace = object.metadata.namespace ?? '';
    const orphans = this.orphans.get(namespace);
    orphans?.delete(key);
    if (orphans?.size === 0) this.orphans.delete(namespace);
    for (const owner of this.byOrphan.get(key) ?? []) this.byOwner.get(owner)?.delete(key);
    this.byOrphan.delete(key);
  }

  private link(owner: ObjectKey, orphan: ObjectKey): void {
    add(this.byOwner, owner, orphan);
    add(this.byOrphan, orphan, owner);
  }
}

function add(map: Map<ObjectKey, Set<ObjectKey>>, key: ObjectKey, value: ObjectKey): void {
  const set = map.get(key);
  if (set) set.add(value);
  else map.set(key, new Set([value]));
}
