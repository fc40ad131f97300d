import { describe, expect, it } from 'vitest';
import type { Attributes, User } from '../authorization';
import { auditScopeOf, type AuditPolicy, type AuditRule } from './policy';

const jane: User = { name: 'jane', groups: ['developers', 'system:authenticated'] };

function asked(of: { verb?: string; path?: string; at?: string; name?: string; namespace?: string } = {}): Attributes {
  const { verb = 'get', path, at = 'pods', name = '', namespace = 'shop' } = of;
  if (path !== undefined) return { user: jane, verb, path };
  const [, resource = '', group = '', subresource = ''] = /^([^./]+)(?:\.([^/]+))?(?:\/(.+))?$/.exec(at) ?? [];
  return { user: jane, verb, group, version: 'v1', resource, subresource, namespace, name };
}

/** Whether a rule with these parts fits a request. */
function fits(rule: Omit<AuditRule, 'level'>, of: Parameters<typeof asked>[0] = {}, user: User | undefined = jane): boolean {
  return auditScopeOf({ rules: [{ level: 'Metadata', ...rule }] }, asked(of), user) !== undefined;
}

describe('a rule of an audit policy fits by', () => {
  it('user', () => {
    expect(fits({ users: ['jane'] })).toBe(true);
    expect(fits({ users: ['joe'] })).toBe(false);
    expect(auditScopeOf({ rules: [{ level: 'Metadata', users: ['jane'] }] }, asked(), undefined)).toBeUndefined();
  });

  it('one of the groups', () => {
    expect(fits({ userGroups: ['admins', 'developers'] })).toBe(true);
    expect(fits({ userGroups: ['admins'] })).toBe(false);
    expect(auditScopeOf({ rules: [{ level: 'Metadata', userGroups: ['developers'] }] }, asked(), undefined)).toBeUndefined();
  });

  it('verb', () => {
    expect(fits({ verbs: ['get', 'list'] })).toBe(true);
    expect(fits({ verbs: ['list'] })).toBe(false);
  });

  it('namespace, the empty one for what lies in none', () => {
    expect(fits({ namespaces: ['shop'] })).toBe(true);
    expect(fits({ namespaces: [''] })).toBe(false);
    expect(fits({ namespaces: [''] }, { at: 'nodes', namespace: '' })).toBe(true);
    expect(fits({ namespaces: [''] }, { path: '/version' })).toBe(false);
  });

  it.each([
    ['pods', 'pods', true],
    ['pods', 'pods/log', false],
    ['pods/log', 'pods/log', true],
    ['pods/*', 'pods/log', true],
    ['pods/*', 'pods', true],
    ['pods/*', 'services', false],
    ['*/scale', 'replicationcontrollers/scale', true],
    ['*/scale', 'scale', false],
    ['*', 'pods/log', true],
    ['pods', 'deployments.apps', false],
  ])('resource: %s, asked for %s', (pattern, at, expected) => {
    expect(fits({ resources: [{ resources: [pattern] }] }, { at })).toBe(expected);
  });

  it('group alone, and by the name of an object', () => {
    expect(fits({ resources: [{ group: 'apps' }] }, { at: 'deployments.apps/scale' })).toBe(true);
    expect(fits({ resources: [{ group: 'apps' }] })).toBe(false);
    expect(fits({ resources: [{ resources: ['pods'], resourceNames: ['web'] }] }, { name: 'web' })).toBe(true);
    expect(fits({ resources: [{ resources: ['pods'], resourceNames: ['web'] }] })).toBe(false);
  });

  it('path, for what is no resource', () => {
    expect(fits({ nonResourceURLs: ['/healthz*'] }, { path: '/healthz/ping' })).toBe(true);
    expect(fits({ nonResourceURLs: ['/healthz'] }, { path: '/healthz/ping' })).toBe(false);
    expect(fits({ nonResourceURLs: ['*'] }, { path: '/version' })).toBe(true);
    expect(fits({ nonResourceURLs: ['*'] })).toBe(false);
    expect(fits({ resources: [{ group: '' }] }, { path: '/version' })).toBe(false);
  });
});

describe('an audit policy', () => {
  const policy: AuditPolicy = {
    rules: [
      { level: 'None', users: ['jane'], verbs: ['watch'] },
      { level: 'Request', verbs: ['get'], omitStages: ['Panic'], omitManagedFields: false },
      { level: 'Metadata' },
    ],
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
  };

  it('goes by the first rule that fits', () => {
    expect(auditScopeOf(policy, asked({ verb: 'watch' }), jane)).toBeUndefined();
    expect(auditScopeOf(policy, asked(), jane)?.level).toBe('Request');
    expect(auditScopeOf(policy, asked({ verb: 'list' }), jane)?.level).toBe('Metadata');
  });

  it('leaves out the stages that it or the rule names, and owners of fields as the rule says, else as it says', () => {
    expect(auditScopeOf(policy, asked(), jane)).toMatchObject({
      omitStages: new Set(['RequestReceived', 'Panic']),
      omitManagedFields: false,
    });
    expect(auditScopeOf(policy, asked({ verb: 'list' }), jane)).toMatchObject({
      omitStages: new Set(['RequestReceived']),
      omitManagedFields: true,
    });
  });

  it('records nothing where no rule fits', () => {
    expect(auditScopeOf({ rules: [{ level: 'Metadata', users: ['joe'] }] }, asked(), jane)).toBeUndefined();
  });
});
