import { describe, expect, it } from 'vitest';
import { makeNode, makePod } from '../cluster.fixture';
import { SchedulerCache } from './cache';
import { NodeTree } from './node-tree';

const inZone = (name: string, zone: string) => makeNode(name, { labels: { 'topology.kubernetes.io/zone': zone } });

describe('the order of nodes', () => {
  it('takes one node of each zone in turn, zones and nodes in order of arrival', () => {
    const tree = new NodeTree();
    for (const node of [inZone('a1', 'a'), inZone('b1', 'b'), inZone('a2', 'a'), inZone('a3', 'a'), inZone('b2', 'b')]) tree.add(node);
    expect(tree.list()).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('takes a zone that comes back as new, and a node that moves as the last of its zone', () => {
    const tree = new NodeTree();
    for (const node of [inZone('a1', 'a'), inZone('b1', 'b')]) tree.add(node);
    tree.remove('a1');
    tree.add(inZone('a2', 'a'));
    expect(tree.list()).toEqual(['b1', 'a2']);
    expect(tree.add(inZone('a2', 'a'))).toBe(false);
    expect(tree.add(inZone('a2', 'b'))).toBe(true);
    expect(tree.list()).toEqual(['b1', 'a2']);
  });

  it('knows regions and the labels of before 1.17', () => {
    const tree = new NodeTree();
    tree.add(makeNode('old', { labels: { 'failure-domain.beta.kubernetes.io/zone': 'a' } }));
    tree.add(inZone('new', 'a'));
    tree.add(makeNode('far', { labels: { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'a' } }));
    expect(tree.list()).toEqual(['old', 'far', 'new']);
  });
});

describe('the cache', () => {
  it('counts an assumed pod at once, and once when its binding is seen', () => {
    const cache = new SchedulerCache();
    cache.addNode(makeNode('n'));
    const pod = makePod('p', { cpu: '1' });
    cache.assumePod(pod, 'n');
    expect(cache.isAssumed(pod.metadata.uid)).toBe(true);
    cache.addPod({ ...pod, spec: { ...pod.spec, nodeName: 'n' } });
    expect(cache.isAssumed(pod.metadata.uid)).toBe(false);
    expect(cache.snapshot().get('n')?.requested.milliCpu).toBe(1000);
    cache.forgetPod(pod.metadata.uid);
    expect(cache.podCount).toBe(1);
  });

  it('moves an assumed pod that was bound elsewhere, and forgets one that was not bound', () => {
    const cache = new SchedulerCache();
    for (const name of ['a', 'b']) cache.addNode(makeNode(name));
    const pod = makePod('p', { cpu: '1' });
    cache.assumePod(pod, 'a');
    cache.addPod({ ...pod, spec: { ...pod.spec, nodeName: 'b' } });
    expect(cache.snapshot().nodes.map((node) => node.pods.length)).toEqual([0, 1]);
    const other = makePod('q');
    cache.assumePod(other, 'a');
    cache.forgetPod(other.metadata.uid);
    expect(cache.snapshot().get('a')?.pods).toEqual([]);
  });

  it('keeps pods of a node that is gone until they go, and of one that is not known yet', () => {
    const cache = new SchedulerCache();
    cache.addPod(makePod('p', { nodeName: 'n', cpu: '1' }));
    expect(cache.snapshot().nodes).toEqual([]);
    cache.addNode(makeNode('n'));
    expect(cache.snapshot().get('n')?.requested.milliCpu).toBe(1000);
    cache.removeNode('n');
    expect(cache.snapshot().get('n')).toBeUndefined();
    cache.addNode(makeNode('n'));
    expect(cache.snapshot().get('n')?.pods).toHaveLength(1);
    cache.removePod('u-default-p');
    expect(cache.snapshot().get('n')?.requested.milliCpu).toBe(0);
  });

  it('counts the nodes that hold an image, however nodes come and go', () => {
    const cache = new SchedulerCache();
    const images = [{ names: ['app:v1'], sizeBytes: 100 }];
    cache.addNode(makeNode('a', { images }));
    cache.addNode(makeNode('b', { images }));
    expect(cache.snapshot().get('a')?.images.get('app:v1')).toMatchObject({ size: 100, nodeCount: 2 });
    cache.updateNode(makeNode('b'));
    cache.removeNode('a');
    cache.addNode(makeNode('c', { images }));
    expect(cache.snapshot().get('c')?.images.get('app:v1')).toMatchObject({ nodeCount: 1 });
  });

  it('lists nodes by what their pods ask for', () => {
    const cache = new SchedulerCache();
    cache.addNode(makeNode('n'));
    const term = { labelSelector: {}, topologyKey: 'k' };
    cache.addPod(
      makePod('p', { nodeName: 'n', affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }),
    );
    expect(cache.snapshot().nodesWithRequiredAntiAffinity.size).toBe(1);
    cache.removePod('u-default-p');
    expect(cache.snapshot().nodesWithAffinity.size).toBe(0);
  });
});
