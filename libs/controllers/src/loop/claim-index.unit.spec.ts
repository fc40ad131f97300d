import { describe, expect, it } from 'vitest';
import { ClusterState, type ObjectChange } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { ClaimIndex } from './claim-index';

const replicaSets = 'replicasets.apps';

function owner(name: string, app: string): KubeObject {
  return { metadata: { name, namespace: 'web', uid: name, creationTimestamp: '' }, spec: { selector: { matchLabels: { app } } } };
}

function pod(name: string, app: string, controller?: string): KubeObject {
  const ownerReferences = controller
    ? [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: controller, uid: controller, controller: true }]
    : undefined;
  return {
    metadata: {
      name,
      namespace: 'web',
      uid: name,
      creationTimestamp: '',
      labels: { app },
      ...(ownerReferences ? { ownerReferences } : {}),
    },
  };
}

function change(resource: string, object: KubeObject, type: ObjectChange['type'] = 'ADDED', before?: KubeObject): ObjectChange {
  return { type, resource, namespace: 'web', name: object.metadata.name, key: `web/${object.metadata.name}`, before, object };
}

describe('what may be adopted', () => {
  it('is found when the object comes and when the owner comes', () => {
    const index = new ClaimIndex(new ClusterState('local'), replicaSets, 'pods');
    index.follow(change(replicaSets, owner('a', 'x')));
    expect([...index.follow(change('pods', pod('p', 'x')))]).toEqual(['web/a']);
    expect([...index.claimable('web/a')]).toEqual(['web/p']);
    index.follow(change(replicaSets, owner('b', 'x')));
    expect([...index.claimable('web/b')]).toEqual(['web/p']);
  });

  it('is what an index made from nothing finds too', () => {
    const cluster = new ClusterState('local');
    cluster.restore('pods', 'web/p', pod('p', 'x'));
    cluster.restore('pods', 'web/q', pod('q', 'x', 'a'));
    cluster.restore(replicaSets, 'web/a', owner('a', 'x'));
    expect([...new ClaimIndex(cluster, replicaSets, 'pods').claimable('web/a')]).toEqual(['web/p']);
  });

  it('is no more when it has its controller, other labels, or is gone', () => {
    const index = new ClaimIndex(new ClusterState('local'), replicaSets, 'pods');
    index.follow(change(replicaSets, owner('a', 'x')));
    for (const gone of [
      change('pods', pod('p', 'x', 'a'), 'MODIFIED'),
      change('pods', pod('p', 'y'), 'MODIFIED'),
      change('pods', pod('p', 'x'), 'DELETED'),
    ]) {
      index.follow(change('pods', pod('p', 'x')));
      expect([...index.claimable('web/a')]).toEqual(['web/p']);
      index.follow(gone);
      expect([...index.claimable('web/a')]).toEqual([]);
    }
  });

  it('follows a changed selector, and goes with its owner', () => {
    const index = new ClaimIndex(new ClusterState('local'), replicaSets, 'pods');
    const before = owner('a', 'x');
    index.follow(change(replicaSets, before));
    index.follow(change('pods', pod('p', 'y')));
    index.follow(change(replicaSets, owner('a', 'y'), 'MODIFIED', before));
    expect([...index.claimable('web/a')]).toEqual(['web/p']);
    index.follow(change(replicaSets, owner('a', 'y'), 'DELETED'));
    expect([...index.claimable('web/a')]).toEqual([]);
  });
});
