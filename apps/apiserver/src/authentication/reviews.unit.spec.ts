import { beforeAll, describe, expect, it } from 'vitest';
import { Writer } from '#libs/control-loop';
import { ensureAccessPolicy } from '../bootstrap/access-policy';
import { ApiFixture } from '../testing/api-fixture.fixture';

let api: ApiFixture;
beforeAll(async () => {
  api = await ApiFixture.start();
  await ensureAccessPolicy(api.runtime, new Writer(api.runtime));
});

const ask = (group: string, kind: string, spec: object, path = `${kind.toLowerCase()}s`): ReturnType<ApiFixture['request']> =>
  api.request('POST', `/apis/${group}/v1/${path}`, { apiVersion: `${group}/v1`, kind, spec });
const authorization = 'authorization.k8s.io';
const deletion = { verb: 'delete', resource: 'nodes' };

describe('reviews', () => {
  it('say that the administrator may do all', async () => {
    const own = await ask(authorization, 'SelfSubjectAccessReview', { resourceAttributes: deletion });
    expect(own).toMatchObject({ status: 201, json: { metadata: {}, status: { allowed: true } } });
    const rules = await ask(authorization, 'SelfSubjectRulesReview', { namespace: 'default' });
    expect(rules.json.status).toMatchObject({ incomplete: false });
    expect(rules.json.status.resourceRules).toContainEqual({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
  });

  it('say of others what they are, and nothing else', async () => {
    const asked = (spec: object): Promise<unknown> =>
      ask(authorization, 'SubjectAccessReview', spec).then(({ json }) => (json as { status: unknown }).status);
    expect(await asked({ user: 'ann', resourceAttributes: deletion })).toEqual({ allowed: false });
    expect(await asked({ user: 'ann', groups: ['system:masters'], resourceAttributes: deletion })).toEqual({ allowed: true });
    const health = { path: '/livez', verb: 'get' };
    expect(await asked({ user: 'x', groups: ['system:unauthenticated'], nonResourceAttributes: health })).toEqual({
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:public-info-viewer" of ClusterRole "system:public-info-viewer" to Group "system:unauthenticated"',
    });
    const labelSelector = { requirements: [{ key: 'a', operator: 'Newer' }] };
    expect(await asked({ user: 'ann', resourceAttributes: { ...deletion, labelSelector } })).toEqual({
      allowed: false,
      evaluationError: 'spec.resourceAttributes.labelSelector ignored due to parse error',
    });
  });

  it('of a namespace are about that namespace', async () => {
    const path = 'namespaces/default/localsubjectaccessreviews';
    const { status, json } = await ask(authorization, 'LocalSubjectAccessReview', { user: 'a', resourceAttributes: deletion }, path);
    expect(status).toBe(422);
    expect(json.message).toBe(
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace',
    );
  });

  it('tell who somebody is, by himself or by his token', async () => {
    const user = { username: 'admin', uid: 'admin-uid', groups: ['system:masters', 'system:authenticated'] };
    const self = await ask('authentication.k8s.io', 'SelfSubjectReview', {});
    expect(self.json.status).toEqual({ userInfo: user });
    const token = async (text: string): Promise<unknown> =>
      (await ask('authentication.k8s.io', 'TokenReview', { token: text })).json.status;
    expect(await token('valid')).toEqual({ authenticated: true, user, audiences: ['https://kubernetes.default.svc.cluster.local'] });
    expect(await token('wrong')).toEqual({ user: {}, error: 'invalid bearer token' });
  });

  it('are not stored', async () => {
    expect(await api.request('GET', '/apis/authorization.k8s.io/v1/subjectaccessreviews')).toMatchObject({ status: 405 });
  });
});
