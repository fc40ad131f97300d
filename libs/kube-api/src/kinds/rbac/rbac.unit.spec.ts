import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../../defaults';
import { printObjectTable } from '../../printing';
import { fieldErrorText } from '../../status';
import { validateCreate, validateUpdate } from '../../validation';
import { releaseKinds } from '../release';

const roles = releaseKinds.kindOf('roles.rbac.authorization.k8s.io');
const bindings = releaseKinds.kindOf('rolebindings.rbac.authorization.k8s.io');

const binding = (body: object): KubeObject => applyDefaults(bindings, { metadata: { name: 'b', namespace: 'n' }, ...body } as KubeObject);
const subjects = [
  { kind: 'User', name: 'jane' },
  { kind: 'ServiceAccount', name: 'web', namespace: 'n' },
  { kind: 'Group', name: 'ops' },
];

describe('a Role', () => {
  it('may have any name that fits into a path', () => {
    const named = (name: string): unknown =>
      validateCreate(roles, { metadata: { name, namespace: 'n' } } as KubeObject).map(fieldErrorText);
    expect(named('system:Node_Reader')).toEqual([]);
    expect(named('a/b')).toEqual([`metadata.name: Invalid value: "a/b": may not contain '/'`]);
  });

  it('speaks of resources, not of other paths', () => {
    const role = { metadata: { name: 'r', namespace: 'n' }, rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }] };
    expect(validateCreate(roles, role as unknown as KubeObject).map(fieldErrorText)).toEqual([
      'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: namespaced rules cannot apply to non-resource URLs',
    ]);
  });
});

describe('a RoleBinding', () => {
  it('fills in the group of the role and of people', () => {
    const made = binding({ roleRef: { kind: 'Role', name: 'r' }, subjects });
    expect(made.roleRef).toEqual({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' });
    expect((made.subjects as { apiGroup?: string }[]).map(({ apiGroup }) => apiGroup ?? '')).toEqual([
      'rbac.authorization.k8s.io',
      '',
      'rbac.authorization.k8s.io',
    ]);
  });

  it('gives the same role for life', () => {
    const old = binding({ roleRef: { kind: 'Role', name: 'r' }, subjects });
    const updated = binding({ roleRef: { kind: 'ClusterRole', name: 'r' }, subjects: [] });
    expect(new Set(validateUpdate(bindings, updated, old).map(fieldErrorText))).toEqual(
      new Set(['roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"r"}: cannot change roleRef']),
    );
  });

  it('names its subjects in wide columns', () => {
    const { cells } = printObjectTable(bindings, binding({ roleRef: { kind: 'Role', name: 'r' }, subjects }), { now: 0 }).rows[0] ?? {};
    expect(cells?.filter((_, index) => index !== 2)).toEqual(['b', 'Role/r', 'jane', 'ops', 'n/web']);
  });
});
