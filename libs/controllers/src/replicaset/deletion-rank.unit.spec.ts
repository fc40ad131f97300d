import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { podsToDelete } from './deletion-rank';

const now = Date.parse('2026-01-01T12:00:00Z');
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

interface PodFacts {
  node?: string;
  phase?: string;
  readyFor?: number;
  cost?: string;
  restarts?: number;
  sidecarRestarts?: number;
  age?: number;
}

function pod(
  name: string,
  { node = 'n1', phase = 'Running', readyFor, cost, restarts = 0, sidecarRestarts, age = 600 }: PodFacts = {},
): KubeObject {
  const ready: JsonObject[] = readyFor === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: ago(readyFor) }];
  const annotations = cost === undefined ? undefined : { 'controller.kubernetes.io/pod-deletion-cost': cost };
  const sidecars = sidecarRestarts === undefined ? {} : { initContainerStatuses: [{ name: 's', restartCount: sidecarRestarts }] };
  return {
    metadata: { name, namespace: 'web', uid: name, creationTimestamp: ago(age), ...(annotations ? { annotations } : {}) },
    spec: { ...(node ? { nodeName: node } : {}), initContainers: [{ name: 's', restartPolicy: 'Always' }] },
    status: { phase, conditions: ready, containerStatuses: [{ name: 'c', restartCount: restarts }], ...sidecars },
  };
}

const first = (pods: KubeObject[], siblings: KubeObject[] = []): string | undefined =>
  podsToDelete(pods, siblings, 1, now)[0]?.metadata.name;

describe('which pod goes first', () => {
  it.each<[string, PodFacts, PodFacts]>([
    ['one without a node', { node: '', readyFor: 1000 }, { readyFor: 1000 }],
    ['a pending one before a running one', { phase: 'Pending' }, { phase: 'Running' }],
    ['one of unknown phase before a running one', { phase: 'Unknown' }, { phase: 'Running' }],
    ['one that is not ready', {}, { readyFor: 10 }],
    ['one of lower deletion cost', { readyFor: 1000, cost: '-5' }, { readyFor: 1000 }],
    ['one that has been ready for a shorter time', { readyFor: 60 }, { readyFor: 3600 }],
    ['one with more restarts', { readyFor: 60, restarts: 3 }, { readyFor: 60, restarts: 1 }],
    ['one whose sidecars restarted more', { readyFor: 60, sidecarRestarts: 2 }, { readyFor: 60, sidecarRestarts: 0 }],
    ['a newer one', { age: 60 }, { age: 3600 }],
  ])('%s', (_rule, goes, stays) => {
    expect(first([pod('a', stays), pod('b', goes)])).toBe('b');
    expect(first([pod('a', goes), pod('b', stays)])).toBe('a');
  });

  it('is the one with more siblings on its node', () => {
    const pods = [pod('a', { node: 'n1', readyFor: 60 }), pod('b', { node: 'n2', readyFor: 60 })];
    const sibling = pod('other', { node: 'n2', readyFor: 60 });
    expect(first(pods, [...pods, sibling])).toBe('b');
    const ended = { ...sibling, status: { phase: 'Failed' } };
    expect(first(pods, [...pods, ended])).toBe('a');
  });

  it('is drawn by uid among pods of about the same age', () => {
    expect(first([pod('b', { readyFor: 100 }), pod('a', { readyFor: 110 })])).toBe('a');
  });

  it('takes no notice of a cost that is no number', () => {
    expect(first([pod('a', { readyFor: 60, cost: '+1' }), pod('b', { readyFor: 60, cost: '99999999999' })])).toBe('a');
  });

  it('does not matter when all go', () => {
    expect(podsToDelete([pod('a'), pod('b')], [], 2, now)).toHaveLength(2);
  });
});
