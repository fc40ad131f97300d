import type { GroupResource, KubeObject, ObjectKey } from '#libs/kernel';

/** The indices, written down: keys in the order in which they are walked. */
export interface IndexEntries {
  nodePods: [node: string, keys: ObjectKey[]][];
  ownerDependents: [owner: string, dependents: [resource: GroupResource, key: ObjectKey][]][];
}

/** Look-ups beside the tables: pods by node, dependents by owner's uid. Kept by every fold step, never searched for. */
export class ClusterIndices {
  private readonly nodePods = new Map<string, Map<ObjectKey, KubeObject>>();
  private readonly ownerDependents = new Map<string, Map<string, { resource: GroupResource; key: ObjectKey }>>();

  podsOnNode(node: string): ReadonlyMap<ObjectKey, KubeObject> {
    return this.nodePods.get(node) ?? none;
  }

  dependentsOf(ownerUid: string): Iterable<{ resource: GroupResource; key: ObjectKey }> {
    return this.ownerDependents.get(ownerUid)?.values() ?? [];
  }

  update(resource: GroupResource, key: ObjectKey, before: KubeObject | undefined, after: KubeObject | undefined): void {
    if (resource === 'pods') this.updateNode(key, before, after);
    const oldOwners = before?.metadata.ownerReferences;
    const newOwners = after?.metadata.ownerReferences;
    if (oldOwners === newOwners) return;
    const id = `${resource} ${key}`;
    for (const owner of oldOwners ?? []) {
      const dependents = this.ownerDependents.get(owner.uid);
      dependents?.delete(id);
      if (dependents?.size === 0) this.ownerDependents.delete(owner.uid);
    }
    for (const owner of newOwners ?? []) {
      let dependents = this.ownerDependents.get(owner.uid);
      if (!dependents) this.ownerDependents.set(owner.uid, (dependents = new Map()));
      dependents.set(id, { resource, key });
    }
  }

  entries(): IndexEntries {
    return {
      nodePods: [...this.nodePods].map(([node, pods]) => [node, [...pods.keys()]]),
      ownerDependents: [...this.ownerDependents].map(([owner, dependents]) => [
        owner,
        [...dependents.values()].map(({ resource, key }) => [resource, key]),
      ]),
    };
  }

  /** @param podOf the pods, which are there already */
  restore({ nodePods, ownerDependents }: IndexEntries, podOf: (key: ObjectKey) => KubeObject | undefined): void {
    for (const [node, keys] of nodePods) this.nodePods.set(node, new Map(keys.map((key) => [key, podOf(key) as KubeObject])));
    for (const [owner, dependents] of ownerDependents)
      this.ownerDependents.set(owner, new Map(dependents.map(([resource, key]) => [`${resource} ${key}`, { resource, key }])));
  }

  private updateNode(key: ObjectKey, before: KubeObject | undefined, after: KubeObject | undefined): void {
    const oldNode = before?.spec?.nodeName as string | undefined;
    const newNode = after?.spec?.nodeName as string | undefined;
    if (oldNode && oldNode !== newNode) {
      const pods = this.nodePods.get(oldNode);
      pods?.delete(key);
      if (pods?.size === 0) this.nodePods.delete(oldNode);
    }
    if (newNode && after) {
      let pods = this.nodePods.get(newNode);
      if (!pods) this.nodePods.set(newNode, (pods = new Map()));
      pods.set(key, after);
    }
  }
}

const none: ReadonlyMap<ObjectKey, KubeObject> = new Map();
