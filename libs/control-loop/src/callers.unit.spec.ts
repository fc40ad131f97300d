import { describe, expect, it } from 'vitest';
import type { Caller } from '#libs/kube-api';
import { callerOf } from './callers';

const behind = (actor: string, verb: 'patch' | 'delete' = 'patch'): Caller | undefined => {
  const basis = { decision: `${actor}/1/1`, position: 1, now: 0, subject: 's' };
  return callerOf({ actor, operation: 'o', correlationId: 'c', basis }, { verb });
};
const account = (name: string): string => `system:serviceaccount:kube-system:${name}`;

describe('whom webhooks and policies see behind a controller', () => {
  it.each([
    ['job-controller', account('job-controller')],
    ['node-lifecycle-controller', account('node-controller')],
    ['garbage-collector-controller', account('generic-garbage-collector')],
    ['scheduler', 'system:kube-scheduler'],
    ['crd-finalizer', 'system:apiserver'],
    ['rbac-bootstrap-roles', 'system:apiserver'],
  ])('is, of %s, %s', (actor, username) => {
    expect(behind(actor)).toMatchObject({ user: { username } });
  });

  it('empties a namespace by its collections, which name nobody', () => {
    expect(behind('namespace-controller', 'delete')).toMatchObject({
      user: { username: account('namespace-controller') },
      isOfCollection: true,
    });
    expect(behind('garbage-collector-controller', 'delete')?.isOfCollection).toBeUndefined();
  });

  it('is nobody where the objects of a kind go with their definition', () => {
    expect(behind('crd-finalizer', 'delete')).toBeUndefined();
  });
});
