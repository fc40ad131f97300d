import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { runsOtherwise } from './runs-of-pod';

const running = { running: { startedAt: '2026-01-01T00:00:02Z' } };
const annotations = { 'kubereel.dev/memory': '64Mi' };
const sandboxMade = [{ type: 'PodReadyToStartContainers', status: 'True' }];
const spec = { nodeName: 'a', containers: [{ name: 'c' }] };

function podWith(container: object, status: object = {}, metadata: object = {}): KubeObject {
  const shown = { name: 'c', state: running, lastState: {}, ready: false, restartCount: 0, ...container };
  return {
    metadata: { name: 'p', namespace: 'default', uid: 'u', annotations, ...metadata },
    spec,
    status: {
      phase: 'Running',
      startTime: '2026-01-01T00:00:01Z',
      conditions: sandboxMade,
      containerStatuses: [shown],
      ...status,
    },
  } as unknown as KubeObject;
}

const before = podWith({});

describe('versions of a pod', () => {
  it.each([
    ['a container is ready', podWith({ ready: true })],
    ['a condition of its readiness', podWith({}, { conditions: [...sandboxMade, { type: 'Ready', status: 'True' }] })],
    ['it is being deleted', podWith({}, {}, { deletionTimestamp: '2026-01-01T00:01:00Z' })],
    ['the same state, written anew', podWith({ state: structuredClone(running) })],
  ])('use the same: %s', (_what, after) => {
    expect(runsOtherwise(before, after)).toBe(false);
  });

  it.each([
    ['a container has ended', podWith({ state: { terminated: { exitCode: 0 } } })],
    ['a container has been started again', podWith({ restartCount: 1 })],
    ['another start', podWith({ state: { running: { startedAt: '2026-01-01T00:00:03Z' } } })],
    ['one container more', podWith({}, { ephemeralContainerStatuses: [{ name: 'e', state: running, restartCount: 0 }] })],
    ['its sandbox is gone', podWith({}, { conditions: [{ type: 'PodReadyToStartContainers', status: 'False' }] })],
    ['it is over', podWith({}, { phase: 'Failed' })],
    ['its annotations', podWith({}, {}, { annotations: { 'kubereel.dev/memory': '1Gi' } })],
    ['another pod of that name', podWith({}, {}, { uid: 'v' })],
    ['its spec', { ...before, spec: { ...before.spec } } as KubeObject],
  ])('may not use the same: %s', (_what, after) => {
    expect(runsOtherwise(before, after)).toBe(true);
  });
});
