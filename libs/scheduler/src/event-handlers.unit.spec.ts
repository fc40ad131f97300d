import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { createProfiles, SchedulerCache, SchedulingQueue } from '#libs/scheduling';
import { attempt, makeNode, makeObject, makePod, now } from '../../scheduling/src/cluster.fixture';
import { onNode, onObject, onPod } from './event-handlers';

function world() {
  const profiles = createProfiles();
  const cache = new SchedulerCache();
  const queue = new SchedulingQueue(profiles, cache.listers);
  return { cache, queue, profiles };
}
const assigned = (pod: KubeObject, nodeName: string): KubeObject => ({ ...pod, spec: { ...pod.spec, nodeName } });
const finished = (pod: KubeObject): KubeObject => ({ ...pod, status: { ...pod.status, phase: 'Succeeded' } });

describe('changes of pods', () => {
  it('go to the queue while pending and to the cache once assigned', () => {
    const backend = world();
    const { cache, queue } = backend;
    const pod = makePod('p');
    onPod(backend, undefined, pod, now);
    expect(queue.where(pod.metadata.uid)).toBe('active');
    onPod(backend, pod, assigned(pod, 'n'), now);
    expect(queue.where(pod.metadata.uid)).toBeUndefined();
    expect(cache.podOn(pod.metadata.uid)?.nodeName).toBe('n');
  });

  it('take a terminal pod for gone, though its object exists', () => {
    const backend = world();
    const { cache } = backend;
    const pod = makePod('p', { nodeName: 'n' });
    onPod(backend, undefined, pod, now);
    onPod(backend, pod, finished(pod), now);
    expect(cache.podCount).toBe(0);
    onPod(backend, finished(pod), undefined, now);
  });

  it('leave pods of other schedulers alone until they are assigned', () => {
    const backend = world();
    const { cache, queue } = backend;
    const foreign = makePod('p', { schedulerName: 'other' });
    onPod(backend, undefined, foreign, now);
    expect(queue.size).toBe(0);
    onPod(backend, foreign, assigned(foreign, 'n'), now);
    expect(cache.podCount).toBe(1);
  });

  it('of an assumed pod do not bring it back into the queue', () => {
    const backend = world();
    const { cache, queue } = backend;
    const pod = makePod('p');
    onPod(backend, undefined, pod, now);
    queue.pop(now);
    cache.assumePod(pod, 'n');
    queue.done(pod.metadata.uid);
    onPod(backend, pod, { ...pod, metadata: { ...pod.metadata, annotations: { a: 'b' } } }, now);
    expect(queue.size).toBe(0);
  });

  it('that end a nomination wake pods of its priority and below', () => {
    const backend = world();
    const { queue } = backend;
    const nominee = makePod('nominee', { priority: 5, nominated: 'n' });
    onPod(backend, undefined, nominee, now);
    queue.pop(now);
    queue.done(nominee.metadata.uid);
    for (const [name, priority] of [
      ['low', 5],
      ['high', 6],
    ] as const) {
      const pod = makePod(name, { priority, cpu: '2' });
      onPod(backend, undefined, pod, now);
      const popped = queue.pop(now);
      queue.addUnschedulable(popped?.pod as never, attempt({ nodes: [makeNode('n', { cpu: '1' })] }, pod), now);
    }
    onPod(backend, nominee, { ...nominee, status: {} }, now + 60_000);
    expect([queue.where('u-default-low'), queue.where('u-default-high')]).toEqual(['active', 'unschedulable']);
  });
});

describe('changes of nodes and other objects', () => {
  it('bring nodes into the snapshot and take them out', () => {
    const backend = world();
    const { cache } = backend;
    const node = makeNode('n');
    onNode(backend, undefined, node, now);
    expect(cache.snapshot().nodes.map((info) => info.name)).toEqual(['n']);
    onNode(backend, node, undefined, now);
    expect(cache.snapshot().nodes).toEqual([]);
  });

  it('reach the listers by resource; what scheduling does not read is ignored', () => {
    const backend = world();
    const { cache } = backend;
    const service = makeObject('Service', 's', { spec: {} }, 'default');
    onObject(backend, 'services', undefined, service, now);
    onObject(backend, 'configmaps', undefined, service, now);
    onObject(backend, 'constructor', undefined, service, now);
    expect(cache.listers.table('services').get('default', 's')).toBe(service);
    onObject(backend, 'services', service, undefined, now);
    expect(cache.listers.table('services').isEmpty).toBe(true);
  });
});
