import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { progressCheckAt, type DeploymentStatus } from './deployment-status';

const then = '2026-01-01T00:00:00Z';
const deployment = {
  metadata: { name: 'd', namespace: 'default', uid: 'u', generation: 1, creationTimestamp: then },
  spec: { replicas: 2, progressDeadlineSeconds: 600 },
} as unknown as KubeObject;

const status = (reason: string): DeploymentStatus => ({
  observedGeneration: 1,
  replicas: 2,
  updatedReplicas: 2,
  availableReplicas: 1,
  conditions: [{ type: 'Progressing', status: 'True', reason, lastUpdateTime: then, lastTransitionTime: then }],
});

describe('a rollout that stands still', () => {
  it('is looked at again a second after its deadline', () => {
    expect(progressCheckAt(deployment, status('ReplicaSetUpdated'))).toBe(Date.parse(then) + 601_000);
  });

  it('is left alone when it has succeeded once, though a pod of it is missing now, or when it has timed out', () => {
    expect(progressCheckAt(deployment, status('NewReplicaSetAvailable'))).toBeUndefined();
    expect(progressCheckAt(deployment, status('ProgressDeadlineExceeded'))).toBeUndefined();
  });
});
