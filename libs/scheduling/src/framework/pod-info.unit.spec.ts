import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { podInfoAfter, podInfoOf } from './pod-info';

const running = (resources: object = { requests: { cpu: '1' } }): object => ({
  name: 'c',
  resources,
  allocatedResources: { cpu: '1' },
  restartCount: 0,
});

const first = {
  metadata: { name: 'p', namespace: 'default', uid: 'u', resourceVersion: '1', labels: { app: 'a' } },
  spec: { nodeName: 'here', priority: 7, containers: [{ name: 'c', resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
  status: { startTime: '2026-01-01T00:00:00Z', containerStatuses: [running()] },
} as unknown as KubeObject;

const later = (status: object, metadata: object = {}, more: object = {}): KubeObject =>
  ({
    ...first,
    metadata: { ...first.metadata, resourceVersion: '2', ...metadata },
    status: { ...first.status, ...status },
    ...more,
  }) as KubeObject;

const pending = (reason: string): object => ({ conditions: [{ type: 'PodResizePending', status: 'True', reason }] });

describe('what scheduling needs of a pod', () => {
  it.each([
    ['another condition', later({ conditions: [{ type: 'Ready', status: 'True' }] })],
    ['a container restarted', later({ containerStatuses: [{ ...running(), restartCount: 1 }] })],
    ['being deleted', later({}, { deletionTimestamp: '2026-01-01T00:01:00Z' })],
    ['another start', later({ startTime: '2026-01-01T00:00:09Z' })],
    ['none yet', later({ startTime: undefined })],
    ['given more', later({ containerStatuses: [running({ requests: { cpu: '3' } })] })],
    ['one status less', later({ containerStatuses: [] })],
    ['a resize that cannot be', later(pending('Infeasible'))],
    ['a resize that waits', later(pending('Deferred'))],
    ['other labels', later({}, { labels: { app: 'b' } })],
    ['another spec', later({}, {}, { spec: { ...first.spec, priority: 8 } })],
    ['another pod of that name', later({}, { uid: 'v' })],
  ])('is the same whether an earlier version is known or not: %s', (_what, pod) => {
    const alone = podInfoOf({ ...pod });
    const { pod: shown, ...info } = podInfoAfter(podInfoOf(first), pod);
    expect(shown).toBe(pod);
    expect({ ...info, pod: alone.pod }).toEqual(alone);
  });
});
