import { describe, expect, it } from 'vitest';
import type { Access, Attributes, ResourceAttributes, User } from '#libs/kube-api';
import { impersonated, impersonates } from './impersonation';

const robot: User = { name: 'robot', groups: ['system:authenticated'] };

/** Lets the robot be what `may` names: `users`, `userextras/scopes`, … */
const letting = (...may: string[]): Access => ({
  authorize: (attributes: Attributes) => {
    const { resource, subresource } = attributes as ResourceAttributes;
    const asked = subresource === '' ? resource : `${resource}/${subresource}`;
    return { decision: attributes.verb === 'impersonate' && may.includes(asked) ? 'allow' : 'none', reason: '' };
  },
  rulesFor: () => ({ rules: [], missing: [] }),
  rulesOfRole: () => undefined,
});
const all = letting('users', 'groups', 'uids', 'serviceaccounts', 'userextras/scopes', 'userextras/a/b');
const as = (headers: string[], access = all): unknown => impersonated(robot, headers, '/api', access);

describe('whom a request counts as', () => {
  it.each<[string[], object]>([
    [['Impersonate-User', 'mia'], { name: 'mia', groups: ['system:authenticated'] }],
    [
      ['Impersonate-User', 'mia', 'Impersonate-Group', 'a', 'impersonate-group', 'b', 'Impersonate-Uid', '7'],
      { name: 'mia', uid: '7', groups: ['a', 'b', 'system:authenticated'] },
    ],
    [
      ['Impersonate-User', 'mia', 'Impersonate-Extra-Scopes', 'x', 'Impersonate-Extra-Scopes', 'y', 'Impersonate-Extra-A%2fB', 'z'],
      { name: 'mia', groups: ['system:authenticated'], extra: { scopes: ['x', 'y'], 'a/b': ['z'] } },
    ],
    [
      ['Impersonate-User', 'system:serviceaccount:shop:web'],
      {
        name: 'system:serviceaccount:shop:web',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
      },
    ],
    [['Impersonate-User', Buffer.from('zoë').toString('latin1')], { name: 'zoë', groups: ['system:authenticated'] }],
    [['Impersonate-User', 'system:anonymous'], { name: 'system:anonymous', groups: ['system:unauthenticated'] }],
    [['Impersonate-User', 'mia', 'Impersonate-Group', 'system:unauthenticated'], { name: 'mia', groups: ['system:unauthenticated'] }],
  ])('%j', (headers, user) => {
    expect(as(headers)).toEqual(user);
  });

  it('is himself without such headers', () => {
    expect(impersonates({ accept: 'application/json' })).toBe(false);
    expect(impersonates({ 'impersonate-extra-x': 'y' })).toBe(true);
    expect(as(['Accept', 'application/json'])).toBe(robot);
  });

  it('is nobody whom the sender may not be, one by one', () => {
    expect(as(['Impersonate-User', 'mia'], letting())).toMatchObject({
      code: 403,
      message: 'users "mia" is forbidden: User "robot" cannot impersonate resource "users" in API group "" at the cluster scope',
    });
    expect(as(['Impersonate-User', 'mia', 'Impersonate-Group', 'system:masters'], letting('users'))).toMatchObject({
      code: 403,
      details: { kind: 'groups', name: 'system:masters' },
    });
    const account = ['Impersonate-User', 'system:serviceaccount:shop:web'];
    expect(as(account, letting('users'))).toMatchObject({ code: 403, details: { kind: 'serviceaccounts', name: 'web' } });
  });

  it('is nobody who has groups, extras or a uid and no name', () => {
    expect(as(['Impersonate-Group', 'g', 'Impersonate-Uid', '<u>'])).toMatchObject({
      status: 500,
      body: 'Internal Server Error: "/api": requested [{Group  g    } {UID  &lt;u&gt;  authentication.k8s.io/v1  }] without impersonating a user\n',
    });
  });
});
