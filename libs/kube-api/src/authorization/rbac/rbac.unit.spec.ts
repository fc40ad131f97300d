import { describe, expect, it } from 'vitest';
import { objectKey, type KubeObject } from '#libs/kernel';
import { releaseKinds } from '../../kinds';
import type { Attributes, User } from '../attributes';
import { clusterAccess } from '../cluster-access';
import { uncovered } from './covers';
import { refuseEscalation } from './escalation';
import { ruleAllows, type PolicyRule } from './policy-rule';
import { RbacObjects } from './rbac-objects';

const ann: User = { name: 'ann', groups: ['dev', 'system:authenticated'] };
const web: User = { name: 'system:serviceaccount:shop:web', groups: ['system:serviceaccounts'] };
const asked = (verb: string, resource: string, more: object = {}): Attributes => {
  const [name = '', subresource = ''] = resource.split('/');
  return { user: ann, verb, group: '', version: 'v1', resource: name, subresource, namespace: '', name: '', ...more };
};
const group = 'rbac.authorization.k8s.io';

/** Tables as a fold has them, of the objects by kind. */
class Objects {
  private readonly tables = new Map<string, Map<string, KubeObject>>();
  changes = 0;

  add(resource: string, object: object): this {
    const { metadata } = object as KubeObject;
    const full = `${resource}.${group}`;
    this.tables.set(full, (this.tables.get(full) ?? new Map()).set(objectKey(metadata.namespace, metadata.name), object as KubeObject));
    this.changes++;
    return this;
  }

  get access() {
    return clusterAccess(
      new RbacObjects((resource) => {
        const table = this.tables.get(resource) ?? new Map<string, KubeObject>();
        return {
          changes: this.changes,
          get: (key) => table.get(key),
          list: (namespace) => [...table.values()].filter(({ metadata }) => !namespace || metadata.namespace === namespace),
        };
      }),
    );
  }
}

const role = (name: string, rules: PolicyRule[], namespace?: string) => ({ metadata: { name, namespace }, rules });
const binding = (name: string, kind: string, to: string, subjects: object[], namespace?: string) => ({
  metadata: { name, namespace },
  roleRef: { apiGroup: group, kind, name: to },
  subjects,
});
const reader: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

describe('a rule', () => {
  it.each<[PolicyRule, Attributes, boolean]>([
    [reader, asked('get', 'pods'), true],
    [reader, asked('delete', 'pods'), false],
    [reader, asked('get', 'pods/log'), false],
    [reader, asked('get', 'pods', { group: 'metrics.k8s.io' }), false],
    [{ ...reader, resources: ['pods/log'] }, asked('get', 'pods/log'), true],
    [{ ...reader, resources: ['*/log'] }, asked('get', 'pods/log'), true],
    [{ ...reader, resources: ['*/log'] }, asked('get', 'pods'), false],
    [{ ...reader, resources: ['*'] }, asked('get', 'pods/log'), true],
    [{ ...reader, resourceNames: ['a'] }, asked('get', 'pods', { name: 'a' }), true],
    [{ ...reader, resourceNames: ['a'] }, asked('list', 'pods'), false],
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, { user: ann, verb: 'get', path: '/metrics' }, false],
    [{ verbs: ['get'], nonResourceURLs: ['/healthz/*'] }, { user: ann, verb: 'get', path: '/healthz/etcd' }, true],
    [{ verbs: ['get'], nonResourceURLs: ['/healthz/*'] }, { user: ann, verb: 'get', path: '/healthz' }, false],
  ])('%j for %j: %s', (rule, attributes, allows) => {
    expect(ruleAllows(rule, attributes)).toBe(allows);
  });

  it('is covered verb by verb and resource by resource', () => {
    const wanted = { verbs: ['get', 'delete'], apiGroups: [''], resources: ['pods', 'pods/scale'] };
    expect(uncovered([reader, { ...reader, verbs: ['*'], resources: ['*/scale'] }], [wanted])).toEqual([
      { verbs: ['delete'], apiGroups: [''], resources: ['pods'] },
    ]);
    expect(uncovered([{ ...reader, resourceNames: ['a'] }], [reader])).toHaveLength(2);
  });

  it('is looked at whole where it would break down into too many parts', () => {
    const many = (letter: string): string[] => Array.from({ length: 1_000 }, (_, index) => `${letter}${index}`);
    const huge = { verbs: many('v'), apiGroups: many('g'), resources: many('r') };
    expect(uncovered([{ ...huge, verbs: ['*'] }], [huge])).toEqual([]);
    expect(uncovered([{ ...huge, verbs: many('v').slice(1) }], [huge, reader])).toEqual([huge, ...uncovered([], [reader])]);
    expect(uncovered([], [reader])).not.toEqual([]);
  });
});

describe('access', () => {
  it('is what bindings of the cluster and of the namespace give, and names the one that gave it', () => {
    const { access } = new Objects()
      .add('clusterroles', role('reader', [reader]))
      .add('roles', role('editor', [{ ...reader, verbs: ['update'] }], 'shop'))
      .add('clusterrolebindings', binding('devs', 'ClusterRole', 'reader', [{ kind: 'Group', name: 'dev' }]))
      .add('rolebindings', binding('editors', 'Role', 'editor', [{ kind: 'ServiceAccount', name: 'web' }], 'shop'));
    expect(access.authorize(asked('get', 'pods'))).toEqual({
      decision: 'allow',
      reason: 'RBAC: allowed by ClusterRoleBinding "devs" of ClusterRole "reader" to Group "dev"',
    });
    const update = asked('update', 'pods', { user: web, namespace: 'shop' });
    expect(access.authorize(update).reason).toBe(
      'RBAC: allowed by RoleBinding "editors/shop" of Role "editor" to ServiceAccount "web/shop"',
    );
    expect(access.authorize({ ...update, namespace: 'other' } as Attributes)).toEqual({ decision: 'none', reason: '' });
    const masters = { name: 'x', groups: ['system:masters'] };
    expect(access.authorize({ ...update, user: masters })).toEqual({ decision: 'allow', reason: '' });
  });

  it('follows the objects, and tells of roles that are not there', () => {
    const objects = new Objects().add('clusterrolebindings', binding('devs', 'ClusterRole', 'reader', [{ kind: 'User', name: 'ann' }]));
    const { access } = objects;
    expect(access.authorize(asked('get', 'pods'))).toEqual({
      decision: 'none',
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "reader" not found',
    });
    objects.add('clusterroles', role('reader', [reader]));
    expect(access.authorize(asked('get', 'pods')).decision).toBe('allow');
  });
});

describe('who gives rights', () => {
  const kindOf = (resource: string) => releaseKinds.kindOf(`${resource}.${group}`);
  const objects = new Objects()
    .add('clusterroles', role('reader', [reader]))
    .add('clusterroles', role('all', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]))
    .add('clusterroles', role('binder', [{ verbs: ['bind'], apiGroups: [group], resources: ['clusterroles'], resourceNames: ['all'] }]))
    .add('clusterrolebindings', binding('a', 'ClusterRole', 'reader', [{ kind: 'User', name: 'ann' }]))
    .add('clusterrolebindings', binding('b', 'ClusterRole', 'binder', [{ kind: 'User', name: 'bob' }]));
  const bob: User = { name: 'bob', groups: [] };
  const message = (resource: string, object: object, user: User, old?: object): string | undefined =>
    refuseEscalation(
      { kind: kindOf(resource), object: object as KubeObject, old: old as KubeObject, namespace: '', name: '' },
      user,
      objects.access,
    )?.message;

  it('has them', () => {
    expect(message('clusterroles', role('x', [{ ...reader, verbs: ['get'] }]), ann)).toBeUndefined();
    expect(message('clusterroles', role('x', [{ ...reader, verbs: ['get', 'watch', 'delete'] }]), ann)).toBe(
      'clusterroles.rbac.authorization.k8s.io "x" is forbidden: user "ann" (groups=["dev" "system:authenticated"]) is attempting to grant ' +
        'RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["watch" "delete"]}',
    );
  });

  it('may bind what he is allowed to bind', () => {
    const all = (name: string) => binding('x', 'ClusterRole', name, []);
    expect(message('clusterrolebindings', all('all'), bob)).toBeUndefined();
    expect(message('clusterrolebindings', all('all'), ann)).toContain('{APIGroups:["*"], Resources:["*"], Verbs:["*"]}');
    // Upstream names the resource of the request.
    expect(message('clusterrolebindings', all('missing'), bob)).toBe('clusterrolebindings.rbac.authorization.k8s.io "missing" not found');
  });

  it('may let an object go that gives more than he has', () => {
    const old = { ...role('x', [{ ...reader, verbs: ['*'] }]), metadata: { name: 'x', finalizers: ['a/b'] } };
    expect(message('clusterroles', { ...old, metadata: { name: 'x' } }, ann, old)).toBeUndefined();
    expect(message('clusterroles', { ...old, metadata: { name: 'x', labels: { a: 'b' } } }, ann, old)).toContain('attempting to grant');
  });
});
