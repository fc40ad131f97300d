import { describe, expect, it } from 'vitest';
import { callerOf } from './callers';
import type { Origin } from './origin';

const origin = (actor: string): Origin => ({
  actor,
  operation: 'o',
  correlationId: 'c',
  basis: { decision: `${actor}/1/1`, position: 1, now: 0, subject: 's' },
});

describe('whom webhooks and policies see behind a controller', () => {
  it('is its account', () => {
    expect(callerOf(origin('job'))?.user.username).toBe('system:serviceaccount:kube-system:job-controller');
    expect(callerOf(origin('job'))?.isOfCollection).toBeUndefined();
    expect(callerOf(origin('scheduler'))?.user.username).toBe('system:kube-scheduler');
  });

  it('empties a namespace by its collections, as upstream does', () => {
    expect(callerOf(origin('namespace'))).toMatchObject({
      user: { username: 'system:serviceaccount:kube-system:namespace-controller' },
      isOfCollection: true,
    });
  });
});
