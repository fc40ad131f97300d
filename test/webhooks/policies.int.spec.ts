import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiUnderTest } from '../api-under-test.fixture';
import { expectProven } from '../proven.fixture';

const configurations = '/apis/admissionregistration.k8s.io/v1';
const maps = '/api/v1/namespaces/default/configmaps';

interface Answered {
  status: number;
  json: { message?: string; metadata: { name: string } };
  warnings: string[];
}

describe('validating admission policies', () => {
  let api: ApiUnderTest;

  beforeEach(async () => {
    api = await ApiUnderTest.start();
  });
  afterEach(() => api.close());

  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answered> => {
    const answer = await api.send({ method, path, headers, body: body && JSON.stringify(body) });
    return { status: answer.status, json: JSON.parse(answer.body) as Answered['json'], warnings: answer.warnings ?? [] };
  };

  async function policy(name: string, spec: object, binding: object = {}): Promise<void> {
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['configmaps'] }];
    const made = [
      await send('POST', `${configurations}/validatingadmissionpolicies`, {
        metadata: { name },
        spec: { matchConstraints: { resourceRules: rules }, ...spec },
      }),
      await send('POST', `${configurations}/validatingadmissionpolicybindings`, {
        metadata: { name },
        spec: { policyName: name, validationActions: ['Deny'], ...binding },
      }),
    ];
    expect(made.map(({ json }) => json.message)).toEqual([undefined, undefined]);
  }

  /** Writes are lawful by the policies of then, and by no others. */
  const isProven = (): Promise<void> => expectProven(api.log);

  it('refuse from the answer to their binding on, and nobody is accused of what was written before', async () => {
    await send('POST', maps, { metadata: { name: 'before' }, data: { a: 'long' } });
    await policy('short', {
      variables: [{ name: 'all', expression: 'has(object.data) ? object.data : {}' }],
      validations: [
        {
          expression: 'object == null || variables.all.all(key, size(variables.all[key]) < 3)',
          messageExpression: "'too long in ' + object.metadata.name",
        },
      ],
    });
    const refused = await send('POST', maps, { metadata: { name: 'after' }, data: { a: 'long' } });
    expect(refused).toMatchObject({
      status: 422,
      json: {
        message: `configmaps "after" is forbidden: ValidatingAdmissionPolicy 'short' with binding 'short' denied request: too long in after`,
      },
    });
    expect((await send('POST', maps, { metadata: { name: 'after' }, data: { a: 'ok' } })).status).toBe(201);
    expect((await send('PUT', `${maps}/before`, { metadata: { name: 'before' }, data: { a: 'longer' } })).status).toBe(422);
    expect((await send('DELETE', `${maps}/before`)).status).toBe(200);
    await isProven();
  });

  it('go by parameters, and warn where they are told to', async () => {
    await send('POST', maps, { metadata: { name: 'limits' }, data: { most: '2' } });
    await policy(
      'few',
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConditions: [{ name: 'not-the-limits', expression: "request.name != 'limits'" }],
        validations: [{ expression: 'size(object.data) <= int(params.data.most)', message: 'too many' }],
      },
      { validationActions: ['Warn'], paramRef: { name: 'limits', namespace: 'default', parameterNotFoundAction: 'Deny' } },
    );
    const made = await send('POST', maps, { metadata: { name: 'many' }, data: { a: '', b: '', c: '' } });
    expect(made).toMatchObject({
      status: 201,
      warnings: ["Validation failed for ValidatingAdmissionPolicy 'few' with binding 'few': too many"],
    });
    await send('DELETE', `${maps}/limits`);
    expect(await send('POST', maps, { metadata: { name: 'none' }, data: {} })).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining('no params found for policy binding with `Deny` parameterNotFoundAction') as string },
    });
    await isProven();
  });

  it('ask what the caller may do, and see how he asks', async () => {
    await policy('trusted', {
      validations: [
        {
          expression: "authorizer.group('').resource('secrets').namespace('default').check('get').allowed()",
          message: 'may not read secrets',
        },
        {
          expression: "request.operation != 'UPDATE' || request.options.fieldManager == 'tool'",
          message: 'only by tool',
          reason: 'Forbidden',
        },
      ],
    });
    expect((await send('POST', maps, { metadata: { name: 'm' } })).status).toBe(201);
    const other = await send('PUT', `${maps}/m?fieldManager=other`, { metadata: { name: 'm' }, data: { a: 'b' } });
    expect(other).toMatchObject({ status: 403, json: { message: expect.stringContaining('only by tool') as string } });
    expect((await send('PUT', `${maps}/m?fieldManager=tool`, { metadata: { name: 'm' }, data: { a: 'b' } })).status).toBe(200);
    const impersonated = await send(
      'POST',
      maps,
      { metadata: { name: 'by-nobody' } },
      { 'Impersonate-User': 'nobody', 'Impersonate-Group': 'system:masters' },
    );
    expect(impersonated.status).toBe(201);
    await isProven();
  });

  it('ask what somebody who deletes may do, as of any other request', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['delete', 'deletecollection', 'list'] }];
    await send('POST', `${rbac}/clusterroles`, { metadata: { name: 'deleter' }, rules });
    for (const name of ['zoe', 'yan']) {
      const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'deleter' };
      await send('POST', `${rbac}/clusterrolebindings`, { metadata: { name }, subjects, roleRef });
    }
    await send('POST', `${rbac}/clusterroles`, {
      metadata: { name: 'breaker' },
      rules: [{ apiGroups: ['example.com'], resources: ['glass'], verbs: ['break'] }],
    });
    await send('POST', `${rbac}/clusterrolebindings`, {
      metadata: { name: 'breaker' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'zoe' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'breaker' },
    });
    for (const name of ['a', 'b']) await send('POST', maps, { metadata: { name } });
    await policy('breakers', {
      validations: [{ expression: "authorizer.group('example.com').resource('glass').check('break').allowed()" }],
    });
    expect((await send('DELETE', `${maps}/a`, undefined, { 'Impersonate-User': 'yan' })).status).toBe(422);
    expect((await send('DELETE', `${maps}/a`, undefined, { 'Impersonate-User': 'zoe' })).status).toBe(200);
    expect((await send('DELETE', maps, undefined, { 'Impersonate-User': 'yan' })).status).toBe(422);
    expect((await send('DELETE', maps, undefined, { 'Impersonate-User': 'zoe' })).status).toBe(200);
    expect((await send('GET', `${maps}/b`)).status).toBe(404);
    await isProven();
  });

  it('stop nobody who takes them away, and nothing that fails where failures are ignored', async () => {
    await policy('broken', { failurePolicy: 'Ignore', validations: [{ expression: 'object.spec.nothing == 1' }] });
    expect((await send('POST', maps, { metadata: { name: 'free' } })).status).toBe(201);
    await policy('all', { validations: [{ expression: 'false' }] });
    expect((await send('POST', maps, { metadata: { name: 'stopped' } })).status).toBe(422);
    expect((await send('DELETE', `${configurations}/validatingadmissionpolicybindings/all`)).status).toBe(200);
    expect((await send('POST', maps, { metadata: { name: 'goes' } })).status).toBe(201);
    await isProven();
  });
});
