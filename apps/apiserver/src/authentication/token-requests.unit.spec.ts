import { beforeAll, describe, expect, it } from 'vitest';
import { ControllerShell, Writer } from '#libs/control-loop';
import { priorityAdmissionControllers } from '#libs/controllers/priority-admission';
import { ApiFixture, fixtureStart, type FixtureAnswer } from '../testing/api-fixture.fixture';

let api: ApiFixture;
beforeAll(async () => {
  api = await ApiFixture.start();
  for (const controller of priorityAdmissionControllers())
    await new ControllerShell(api.runtime, new Writer(api.runtime), controller).start();
  await api.request('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
  await api.request('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'other' } });
  await api.request('POST', '/api/v1/nodes', { metadata: { name: 'n' } });
  const containers = [{ name: 'c', image: 'i' }];
  for (const serviceAccountName of ['robot', 'other'])
    await api.request('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: `pod-of-${serviceAccountName}` },
      spec: { serviceAccountName, nodeName: 'n', containers },
    });
});

const ask = (spec?: object, metadata?: object): Promise<FixtureAnswer> =>
  api.request('POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    ...(metadata ? { metadata } : {}),
    ...(spec ? { spec } : {}),
  });
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const claimsOf = ({ json }: FixtureAnswer): any => JSON.parse(Buffer.from(json.status.token.split('.')[1], 'base64url').toString());
const startSeconds = fixtureStart / 1000;

describe('POST serviceaccounts/NAME/token', () => {
  it('gives a token of an hour for the API server where nothing else is asked for, and writes nothing', async () => {
    const before = api.runtime.state.position;
    const answer = await ask();
    expect(answer).toMatchObject({ status: 201, json: { spec: { expirationSeconds: 3600, boundObjectRef: null } } });
    expect(answer.json.status.expirationTimestamp).toBe('2026-01-01T13:00:00Z');
    expect(claimsOf(answer)).toMatchObject({ iat: startSeconds, exp: startSeconds + 3600, sub: 'system:serviceaccount:default:robot' });
    expect(api.runtime.state.position).toBe(before);
    const review = await api.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: answer.json.status.token } });
    expect(review.json.status).toMatchObject({ authenticated: true, user: { username: 'system:serviceaccount:default:robot' } });
    expect(await api.authenticator.authenticateRequest({ authorization: `Bearer ${answer.json.status.token}` })).toMatchObject({
      name: 'system:serviceaccount:default:robot',
    });
    let text = '';
    for await (const page of api.log.readAll()) text += JSON.stringify(page);
    expect(text).not.toContain(answer.json.status.token);
  });

  it('binds it to a pod, and tells the pod’s node', async () => {
    const { uid } = (await api.request('GET', '/api/v1/namespaces/default/pods/pod-of-robot')).json.metadata;
    const node = (await api.request('GET', '/api/v1/nodes/n')).json.metadata.uid;
    const answer = await ask({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'pod-of-robot', uid } });
    expect(claimsOf(answer)['kubernetes.io']).toMatchObject({ pod: { name: 'pod-of-robot', uid }, node: { name: 'n', uid: node } });
  });

  it('gives pods’ usual tokens a year, though they say an hour', async () => {
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'pod-of-robot' };
    const answer = await ask({ expirationSeconds: 3607, boundObjectRef });
    expect(answer.json.status.expirationTimestamp).toBe('2026-01-01T13:00:07Z');
    const year = 365 * 24 * 3600;
    expect(claimsOf(answer)).toMatchObject({ exp: startSeconds + year, 'kubernetes.io': { warnafter: startSeconds + 3607 } });
    expect(claimsOf(await ask({ expirationSeconds: 3607, boundObjectRef, audiences: ['vault'] })).exp).toBe(startSeconds + 3607);
    expect(claimsOf(await ask({ expirationSeconds: 3607 })).exp).toBe(startSeconds + 3607);
  });

  it('refuses what cannot be bound to', async () => {
    const bind = (reference: object): Promise<string> => ask({ boundObjectRef: reference }).then(({ json }) => json.message);
    const v1 = { apiVersion: 'v1' };
    expect(await bind({ ...v1, kind: 'Pod', name: 'pod-of-other' })).toBe(
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    );
    expect(await bind({ ...v1, kind: 'Node', name: 'nope' })).toBe('nodes "nope" not found');
    expect(await bind({ apiVersion: 'apps/v1', kind: 'Pod', name: 'x' })).toBe('cannot bind token to object of type apps/v1, Kind=Pod');
    expect(await bind({ ...v1, kind: 'constructor', name: 'x' })).toBe('cannot bind token to object of type /v1, Kind=constructor');
    expect(await bind({ ...v1, kind: 'Pod', name: 'pod-of-robot', uid: 'z' })).toBe(
      'Operation cannot be fulfilled on Pod "pod-of-robot": the UID in the bound object reference (z) does not match the UID in record. ' +
        'The object might have been deleted and then recreated',
    );
  });

  it('refuses a body about another account', async () => {
    expect((await ask(undefined, { name: 'other' })).json.message).toBe(
      'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
    );
    expect(await ask(undefined, { uid: 'z' })).toMatchObject({ status: 409 });
  });
});

describe('/openid/v1/jwks', () => {
  it('has the key that tokens are signed with, and nothing of its secret part', async () => {
    const { kid } = JSON.parse(Buffer.from((await ask()).json.status.token.split('.')[0], 'base64url').toString());
    const { text, contentType } = await api.request('GET', '/openid/v1/jwks');
    const [key] = JSON.parse(text).keys;
    expect(contentType).toBe('application/jwk-set+json');
    expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    expect(key).toMatchObject({ kid, alg: 'RS256', use: 'sig', kty: 'RSA' });
    expect((await api.request('GET', '/.well-known/openid-configuration')).json).toMatchObject({
      issuer: 'https://kubernetes.default.svc.cluster.local',
      id_token_signing_alg_values_supported: ['RS256'],
    });
  });
});
