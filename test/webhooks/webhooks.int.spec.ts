import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-log';
import { ApiUnderTest, type Received } from '../api-under-test.fixture';
import { eventsIn } from '../mutants/stored-log';
import { expectReplayed } from '../proven.fixture';
import { allow, answer, patch, reviewOf, TestWebhook } from './webhook.fixture';

const configurations = '/apis/admissionregistration.k8s.io/v1';
const maps = '/api/v1/namespaces/default/configmaps';
const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }];
const base = { rules, admissionReviewVersions: ['v1'], sideEffects: 'None' };

interface Sent {
  status: number;
  json: { message?: string; data?: Record<string, string>; metadata: { labels?: Record<string, string> } };
  warnings: string[];
}

describe('admission webhooks', () => {
  let api: ApiUnderTest;
  let webhook: TestWebhook;

  beforeEach(async () => {
    api = await ApiUnderTest.start();
    webhook = await TestWebhook.start();
  });
  afterEach(async () => {
    webhook.close();
    await api.close();
  });

  const sent = ({ status, body, warnings = [] }: Received): Sent => ({ status, json: JSON.parse(body) as Sent['json'], warnings });
  const post = async (path: string, body: object): Promise<Sent> =>
    sent(await api.send({ method: 'POST', path, body: JSON.stringify(body) }));
  const configure = async (type: 'Mutating' | 'Validating', ...webhooks: object[]): Promise<void> => {
    const resource = `${type.toLowerCase()}webhookconfigurations`;
    const made = await post(`${configurations}/${resource}`, {
      metadata: { name: type.toLowerCase() },
      webhooks: webhooks.map((each) => ({ ...base, clientConfig: webhook.client(), ...each })),
    });
    expect(made.json.message).toBeUndefined();
  };
  const configMap = (name: string): Promise<Sent> => post(maps, { metadata: { name }, data: { a: '1' } });

  const eventsOf = async (...types: string[]): Promise<RecordedEvent[]> =>
    (await eventsIn(api.log)).filter(({ type }) => types.includes(type));

  /** What `verify` and a fold have to say when nobody answers any more. */
  async function replayedWithoutWebhook(): Promise<void> {
    const calls = webhook.reviews.length;
    webhook.close();
    await expectReplayed(api, 'configmaps');
    expect(webhook.reviews).toHaveLength(calls);
  }

  it('are trusted by their own certificate too, and called by a clean path, as envtest has them', async () => {
    const paths: string[] = [];
    webhook.answering = (review, response, path) => {
      paths.push(path);
      allow(review, response);
    };
    await configure('Validating', { name: 'a.example.org', clientConfig: { ...webhook.client('//review/'), caBundle: webhook.ownBundle } });
    expect((await configMap('a')).status).toBe(201);
    expect(paths).toEqual(['/review?timeout=10s']);
  });

  it('change and judge what is written, and are not called again for a log of it', async () => {
    webhook.answering = (review, response, path) => {
      const add = (key: string): object =>
        patch([{ op: 'add', path: '/metadata/labels', value: { ...review.request.object?.metadata.labels, [key]: 'yes' } }]);
      if (path.startsWith('/label')) allow(review, response, { ...add('hooked'), warnings: ['labelled'] });
      else if (review.request.object?.data?.['a'] === '2')
        answer(response, reviewOf(review, { allowed: false, status: { message: 'not two' } }));
      else allow(review, response);
    };
    await configure('Mutating', { name: 'label.example.com', clientConfig: webhook.client('/label') });
    await configure('Validating', { name: 'judge.example.com' });
    const made = await configMap('made');
    expect(made).toMatchObject({ status: 201, warnings: ['labelled'], json: { metadata: { labels: { hooked: 'yes' } } } });
    const patched = sent(
      await api.send({
        method: 'PATCH',
        path: `${maps}/made`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: '{"data":{"a":"3"},"metadata":{"labels":null}}',
      }),
    );
    expect(patched).toMatchObject({ status: 200, json: { metadata: { labels: { hooked: 'yes' } }, data: { a: '3' } } });
    const put = sent(await api.send({ method: 'PUT', path: `${maps}/made`, body: '{"metadata":{"name":"made"},"data":{"a":"2"}}' }));
    expect(put).toMatchObject({ status: 400, json: { message: 'admission webhook "judge.example.com" denied the request: not two' } });
    const [first] = webhook.reviews;
    expect(first?.request).toMatchObject({ operation: 'CREATE', name: 'made', namespace: 'default', userInfo: { username: 'admin' } });
    expect(first?.request.object?.metadata.managedFields).toHaveLength(1);
    await replayedWithoutWebhook();
  });

  it('are called again by reinvocation where another one behind them has changed the object', async () => {
    webhook.answering = (review, response, path) => {
      const { labels = {} } = review.request.object?.metadata ?? {};
      const key = path.startsWith('/first') ? `first-${Object.keys(labels).length}` : 'second';
      const next = patch([{ op: 'add', path: '/metadata/labels', value: { ...labels, [key]: 'yes' } }]);
      allow(review, response, next);
    };
    await configure(
      'Mutating',
      { name: 'first.example.com', clientConfig: webhook.client('/first'), reinvocationPolicy: 'IfNeeded' },
      { name: 'second.example.com', clientConfig: webhook.client('/second') },
    );
    const { json } = await configMap('twice');
    expect(Object.keys(json.metadata.labels ?? {}).sort()).toEqual(['first-0', 'first-2', 'second']);
    expect(webhook.reviews).toHaveLength(3);
    await replayedWithoutWebhook();
  });

  it('that answer too late count as not answering', async () => {
    const open: (() => void)[] = [];
    webhook.answering = (review, response) => void open.push(() => allow(review, response));
    await configure('Validating', { name: 'late.example.com', timeoutSeconds: 1 });
    const { status, json } = await configMap('late');
    expect(status).toBe(500);
    const url = `https://127.0.0.1:${webhook.port}/review?timeout=1s`;
    const text = `failed calling webhook "late.example.com": failed to call webhook: Post "${url}": context deadline exceeded`;
    expect(json.message).toBe(`Internal error occurred: ${text}`);
    open.forEach((respond) => respond());
    expect(await eventsOf('WebhookAsked')).toHaveLength(1);
    expect((await eventsOf('WebhookAnswered')).map(({ data }) => data.outcome)).toEqual([
      { error: text.slice(text.indexOf('failed to call')) },
    ]);
    expect(api.control.runtime.state.get('configmaps', 'default', 'late')).toBeUndefined();
    await replayedWithoutWebhook();
  });

  it.each<[string, (review: never) => object | string, string]>([
    [
      'another uid',
      () => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: 'x', allowed: true } }),
      'received invalid webhook response: expected response.uid=',
    ],
    [
      'no response',
      () => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }),
      'received invalid webhook response: webhook response was absent',
    ],
    ['another kind', () => ({ apiVersion: 'v1', kind: 'Pod' }), 'failed to call webhook: no kind "Pod" is registered for version "v1"'],
    [
      'a patch though it only judges',
      (review) => reviewOf(review, { allowed: true, ...patch([]) }),
      'received invalid webhook response: validating webhook may not return response.patch',
    ],
    [
      'its answer twice',
      (review) => JSON.stringify(reviewOf(review, { allowed: true })).repeat(2),
      `failed to call webhook: couldn't get version/kind; json parse error: invalid character '{' after top-level value`,
    ],
    [
      'text where a truth is wanted',
      (review) => reviewOf(review, { allowed: 'yes' }),
      'failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
    ],
    ['nothing', () => '', 'failed to call webhook: 0-length response with status code: 200 and content type: application/json'],
  ])('that answer %s are as good as none', async (_what, made, text) => {
    webhook.answering = (review, response) => answer(response, made(review as never));
    await configure('Validating', { name: 'wrong.example.com' });
    const refused = await configMap('wrong');
    expect(refused.status).toBe(500);
    expect(refused.json.message).toContain(`Internal error occurred: failed calling webhook "wrong.example.com": ${text}`);
    expect(await api.objectEvents()).not.toContain('Created on local.configmaps-default/wrong');
    await replayedWithoutWebhook();
  });

  it('that die while they are asked, or are gone, refuse or let pass by their failure policy', async () => {
    webhook.answering = (_review, response) => void response.destroy();
    await configure('Validating', { name: 'fail.example.com' }, { name: 'ignore.example.com', failurePolicy: 'Ignore' });
    const url = `https://127.0.0.1:${webhook.port}/review?timeout=10s`;
    const dead = await configMap('dead');
    expect(dead.json.message).toBe(
      `Internal error occurred: failed calling webhook "fail.example.com": failed to call webhook: Post "${url}": EOF`,
    );
    webhook.close();
    const gone = await configMap('gone');
    expect(gone.json.message).toMatch(/Post ".*": dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/);
    const changed = { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' };
    await api.send({
      method: 'PATCH',
      path: `${configurations}/validatingwebhookconfigurations/validating`,
      headers: { 'content-type': 'application/json-patch+json' },
      body: JSON.stringify([changed]),
    });
    expect((await configMap('let')).status).toBe(201);
    await replayedWithoutWebhook();
  });

  it('of Services go where the Service says that it is served, and are refused where there is none', async () => {
    const clientConfig = { service: { namespace: 'default', name: 'hooks', path: '/review' } };
    await configure('Validating', { name: 'service.example.com', clientConfig });
    const missing = await configMap('missing');
    const url = 'https://hooks.default.svc:443/review?timeout=10s';
    expect(missing.json.message).toBe(
      `Internal error occurred: failed calling webhook "service.example.com": failed to call webhook: Post "${url}": service "hooks" not found`,
    );
    await post('/api/v1/namespaces/default/services', { metadata: { name: 'hooks' }, spec: { ports: [{ port: 443 }] } });
    expect((await configMap('unserved')).json.message).toMatch(/dial tcp 10\..*:443: connect: connection refused$/);
    await replayedWithoutWebhook();
  });

  it('are asked again about a patch that another write has overtaken, and a stale update is a conflict', async () => {
    await configMap('raced');
    const held: (() => void)[] = [];
    const asked: [string | undefined, string | undefined][] = [];
    let holds = true;
    webhook.answering = (review, response) => {
      const { object, oldObject } = review.request;
      asked.push([(oldObject as typeof object)?.data?.['a'], object?.data?.['b']]);
      if (holds) held.push(() => allow(review, response));
      else allow(review, response);
    };
    await configure('Validating', { name: 'slow.example.com', rules: [{ ...rules[0], operations: ['UPDATE'] }] });
    const { metadata } = JSON.parse((await api.send({ method: 'GET', path: `${maps}/raced` })).body) as { metadata: object };
    const merge = { 'content-type': 'application/merge-patch+json' };
    const patching = api.send({ method: 'PATCH', path: `${maps}/raced`, headers: merge, body: '{"data":{"b":"patched"}}' });
    const putting = api.send({ method: 'PUT', path: `${maps}/raced`, body: JSON.stringify({ metadata, data: { a: 'stale' } }) });
    await expect.poll(() => held.length).toBe(2);
    holds = false;
    const first = await api.send({ method: 'PATCH', path: `${maps}/raced`, headers: merge, body: '{"data":{"a":"2"}}' });
    expect(first.status).toBe(200);
    held.forEach((release) => release());
    const patched = sent(await patching);
    expect(patched).toMatchObject({ status: 200, json: { data: { a: '2', b: 'patched' } } });
    expect((await putting).status).toBe(409);
    // What is decided on is what is written: the second time the patch is asked about as it comes behind the other write.
    expect(asked.filter(([, b]) => b === 'patched')).toEqual([
      ['1', 'patched'],
      ['2', 'patched'],
    ]);
    await replayedWithoutWebhook();
  });

  it('are told no name where a collection is deleted, and those of the objects by themselves', async () => {
    await configMap('one');
    await configure('Validating', { name: 'all.example.com' });
    await configMap('two');
    expect((await api.send({ method: 'DELETE', path: maps })).status).toBe(200);
    const asked = webhook.reviews.map(({ request }) => request).filter(({ operation }) => operation === 'DELETE');
    expect(asked.map(({ name, oldObject }) => [name, oldObject?.metadata.name]).sort()).toEqual([
      [undefined, 'one'],
      [undefined, 'two'],
    ]);
    expect((await eventsOf('Deleted')).filter(({ stream }) => stream.includes('configmaps'))).toHaveLength(2);
    await replayedWithoutWebhook();
  });

  it('are asked about deletions, evictions and connections too', async () => {
    const every = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['DELETE', 'CONNECT'], resources: ['*/*'] }];
    await configMap('goes');
    await configure('Validating', { name: 'all.example.com', rules: every });
    await api.send({ method: 'DELETE', path: `${maps}/goes`, body: '{"gracePeriodSeconds":0}' });
    await api.send({ method: 'GET', path: '/api/v1/namespaces/default/pods/none/exec?command=ls&container=c' });
    const [deletion, connection] = webhook.reviews.map(({ request }) => request);
    expect(deletion).toMatchObject({
      operation: 'DELETE',
      object: null,
      oldObject: { metadata: { name: 'goes' } },
      options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', gracePeriodSeconds: 0 },
    });
    expect(connection).toMatchObject({
      operation: 'CONNECT',
      subResource: 'exec',
      name: 'none',
      kind: { kind: 'PodExecOptions' },
      options: null,
    });
    expect(connection?.object).toMatchObject({ kind: 'PodExecOptions', command: ['ls'], container: 'c' });
    await replayedWithoutWebhook();
  });
});
