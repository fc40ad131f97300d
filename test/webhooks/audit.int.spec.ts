import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiUnderTest } from '../api-under-test.fixture';
import { allow, answer, patch, TestWebhook } from './webhook.fixture';

const configurations = '/apis/admissionregistration.k8s.io/v1';
const maps = '/api/v1/namespaces/default/configmaps';
const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }];

describe('the record of a request tells of its admission', () => {
  let folder: string;
  let path: string;
  let api: ApiUnderTest;
  let webhook: TestWebhook;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'audit-'));
    path = join(folder, 'audit.log');
    const policy = {
      rules: [
        { level: 'Metadata', verbs: ['delete'] },
        { level: 'Request', verbs: ['create'] },
      ],
      omitStages: ['RequestReceived'],
    };
    const bounds = { bytesMax: 100_000_000, backupsMax: 0, ageDaysMax: 0 };
    api = await ApiUnderTest.start(undefined, { audit: { policy, path, format: 'json', ...bounds } });
    webhook = await TestWebhook.start();
  });
  afterEach(async () => {
    webhook.close();
    await api.close();
    rmSync(folder, { recursive: true });
  });

  const post = async (to: string, body: object): Promise<number> =>
    (await api.send({ method: 'POST', path: to, body: JSON.stringify(body) })).status;
  const configure = (type: 'mutating' | 'validating', ...webhooks: object[]): Promise<number> =>
    post(`${configurations}/${type}webhookconfigurations`, {
      metadata: { name: type },
      webhooks: webhooks.map((each) => ({ rules, admissionReviewVersions: ['v1'], sideEffects: 'None', ...each })),
    });

  /** Of the last request, without what every record has. */
  function annotations(): Record<string, string> {
    const [last = ''] = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-1);
    const { annotations: all } = JSON.parse(last) as { annotations: Record<string, string> };
    return Object.fromEntries(Object.entries(all).filter(([key]) => !key.startsWith('authorization.k8s.io/')));
  }

  it('by webhooks: which were called, what they changed and said, which could not be asked', async () => {
    webhook.answering = (review, response, to) => {
      if (to.startsWith('/broken')) answer(response, 'no review at all');
      else if (to.startsWith('/quiet')) allow(review, response, { auditAnnotations: { note: 'looked', 'not a key': 'x' } });
      else allow(review, response, { ...patch([{ value: '<1>', op: 'add', path: '/data/b' }]), auditAnnotations: { why: 'asked' } });
    };
    await configure(
      'mutating',
      { name: 'away.example.com', clientConfig: webhook.client('/broken'), failurePolicy: 'Ignore' },
      { name: 'add.example.com', clientConfig: webhook.client('/add') },
    );
    await configure(
      'validating',
      { name: 'quiet.example.com', clientConfig: webhook.client('/quiet') },
      { name: 'gone.example.com', clientConfig: webhook.client('/broken'), failurePolicy: 'Ignore' },
    );
    expect(await post(maps, { metadata: { name: 'made' }, data: { a: '1' } })).toBe(201);
    const inConfiguration = '"configuration":"mutating","webhook":';
    const called = {
      'mutation.webhook.admission.k8s.io/round_0_index_0': `{${inConfiguration}"away.example.com","mutated":false}`,
      'failed-open.mutation.webhook.admission.k8s.io/round_0_index_0': 'away.example.com',
      'failed-open.validating.webhook.admission.k8s.io/round_0_index_1': 'gone.example.com',
      'add.example.com/why': 'asked',
      'quiet.example.com/note': 'looked',
    };
    const operations = '[{"op":"add","path":"/data/b","value":"\\u003c1\\u003e"}]';
    expect(annotations()).toEqual({
      ...called,
      'mutation.webhook.admission.k8s.io/round_0_index_1': `{${inConfiguration}"add.example.com","mutated":true}`,
      'patch.webhook.admission.k8s.io/round_0_index_1': `{${inConfiguration}"add.example.com","patch":${operations},"patchType":"JSONPatch"}`,
    });
    // Patches are bodies: of a deletion, which the policy wants without, there is none.
    webhook.answering = (review, response, to) => (to.startsWith('/broken') ? answer(response, 'no review') : allow(review, response));
    expect((await api.send({ method: 'DELETE', path: `${maps}/made` })).status).toBe(200);
    expect(annotations()['mutation.webhook.admission.k8s.io/round_0_index_1']).toContain('"mutated":false');
  });

  it('by policies: what they deny where that is only recorded, and what they want to be recorded', async () => {
    await post(`${configurations}/validatingadmissionpolicies`, {
      metadata: { name: 'short' },
      spec: {
        matchConstraints: { resourceRules: [{ ...rules[0], operations: ['CREATE'] }] },
        validations: [{ expression: 'object.data.a.size() < 3 ', message: 'too long' }],
        auditAnnotations: [{ key: 'length', valueExpression: "'is ' + string(object.data.a.size())" }],
      },
    });
    for (const name of ['one', 'two'])
      await post(`${configurations}/validatingadmissionpolicybindings`, {
        metadata: { name },
        spec: { policyName: 'short', validationActions: ['Audit'] },
      });
    expect(await post(maps, { metadata: { name: 'long' }, data: { a: 'four' } })).toBe(201);
    const failure = [{ message: 'too long', policy: 'short', binding: 'one', expressionIndex: 0, validationActions: ['Audit'] }];
    expect(annotations()).toEqual({
      'validation.policy.admission.k8s.io/validation_failure': JSON.stringify(failure),
      'short/length': 'is 4',
    });
  });

  it('by pod security: what is enforced, and what would be against stricter rules', async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'baseline', 'pod-security.kubernetes.io/audit': 'restricted' };
    await post('/api/v1/namespaces', { metadata: { name: 'safe', labels } });
    await post('/api/v1/namespaces/safe/serviceaccounts', { metadata: { name: 'default' } });
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const prefix = 'pod-security.kubernetes.io';
    await post('/api/v1/namespaces/safe/pods', { metadata: { name: 'p' }, spec });
    expect(annotations()).toEqual({
      [`${prefix}/enforce-policy`]: 'baseline:latest',
      [`${prefix}/audit-violations`]: expect.stringMatching(
        /^would violate PodSecurity "restricted:latest": allowPrivilegeEscalation/,
      ) as string,
    });
    expect(await post('/api/v1/namespaces/safe/pods', { metadata: { name: 'q' }, spec: { ...spec, hostNetwork: true } })).toBe(403);
    expect(annotations()[`${prefix}/enforce-policy`]).toBe('baseline:latest');
    const template = { metadata: { labels: { a: 'b' } }, spec: { ...spec, hostNetwork: true } };
    await post('/apis/apps/v1/namespaces/safe/deployments', {
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    });
    expect(annotations()).toEqual({ [`${prefix}/audit-violations`]: expect.stringContaining('host namespaces') as string });
    await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
    await post('/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec });
    expect(annotations()).toEqual({ [`${prefix}/enforce-policy`]: 'privileged:latest' });
  });
});
