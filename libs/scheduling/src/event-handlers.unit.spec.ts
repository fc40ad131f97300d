import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { SchedulerCache } from './cache/cache';
import { attempt, makeNode, makeObject, makePod, now } from './cluster.fixture';
import { createProfiles } from './config/profiles';
import { EventHandlers } from './event-handlers';
import { SchedulingQueue } from './queue/scheduling-queue';

function world() {
  const profiles = createProfiles();
  const cache = new SchedulerCache();
  const queue = new SchedulingQueue(profiles, cache.listers);
  return { cache, queue, handlers: new EventHandlers(cache, queue, profiles) };
}
const assigned = (pod: KubeObject, nodeName: string): KubeObject => ({ ...pod, spec: { ...pod.spec, nodeName } });
const finished = (pod: KubeObject): KubeObject => ({ ...pod, status: { ...pod.status, phase: 'Succeeded' } });

describe('changes of pods', () => {
  it('go to the queue while pending and to the cache once assigned', () => {
    const { cache, queue, handlers } = world();
    const pod = makePod('p');
    handlers.onPod(undefined, pod, now);
    expect(queue.where(pod.metadata.uid)).toBe('active');
    handlers.onPod(pod, assigned(pod, 'n'), now);
    expect(queue.where(pod.metadata.uid)).toBeUndefined();
    expect(cache.podOn(pod.metadata.uid)?.nodeName).toBe('n');
  });

  it('take a terminal pod for gone, though its object exists', () => {
    const { cache, handlers } = world();
    const pod = makePod('p', { nodeName: 'n' });
    handlers.onPod(undefined, pod, now);
    handlers.onPod(pod, finished(pod), now);
    expect(cache.podCount).toBe(0);
    handlers.onPod(finished(pod), undefined, now);
  });

  it('leave pods of other schedulers alone until they are assigned', () => {
    const { cache, queue, handlers } = world();
    const foreign = makePod('p', { schedulerName: 'other' });
    handlers.onPod(undefined, foreign, now);
    expect(queue.size).toBe(0);
    handlers.onPod(foreign, assigned(foreign, 'n'), now);
    expect(cache.podCount).toBe(1);
  });

  it('of an assumed pod do not bring it back into the queue', () => {
    const { cache, queue, handlers } = world();
    const pod = makePod('p');
    handlers.onPod(undefined, pod, now);
    queue.pop(now);
    cache.assumePod(pod, 'n');
    queue.done(pod.metadata.uid);
    handlers.onPod(pod, { ...pod, metadata: { ...pod.metadata, annotations: { a: 'b' } } }, now);
    expect(queue.size).toBe(0);
  });

  it('that end a nomination wake pods of its priority and below', () => {
    const { queue, handlers } = world();
    const nominee = makePod('nominee', { priority: 5, nominated: 'n' });
    handlers.onPod(undefined, nominee, now);
    queue.pop(now);
    queue.done(nominee.metadata.uid);
    for (const [name, priority] of [
      ['low', 5],
      ['high', 6],
    ] as const) {
      const pod = makePod(name, { priority, cpu: '2' });
      handlers.onPod(undefined, pod, now);
      const popped = queue.pop(now);
      queue.addUnschedulable(popped?.pod as never, attempt({ nodes: [makeNode('n', { cpu: '1' })] }, pod), now);
    }
    handlers.onPod(nominee, { ...nominee, status: {} }, now + 60_000);
    expect([queue.where('u-default-low'), queue.where('u-default-high')]).toEqual(['active', 'unschedulable']);
  });
});

describe('changes of nodes and other objects', () => {
  it('bring nodes into the snapshot and take them out', () => {
    const { cache, handlers } = world();
    const node = makeNode('n');
    handlers.onNode(undefined, node, now);
    expect(cache.snapshot().nodes.map((info) => info.name)).toEqual(['n']);
    handlers.onNode(node, undefined, now);
    expect(cache.snapshot().nodes).toEqual([]);
  });

  it('reach the listers by resource; what scheduling does not read is ignored', () => {
    const { cache, handlers } = world();
    const service = makeObject('Service', 's', { spec: {} }, 'default');
    handlers.onObject('services', undefined, service, now);
    handlers.onObject('configmaps', undefined, service, now);
    handlers.onObject('constructor', undefined, service, now);
    expect(cache.listers.table('services').get('default', 's')).toBe(service);
    handlers.onObject('services', service, undefined, now);
    expect(cache.listers.table('services').isEmpty).toBe(true);
  });
});
