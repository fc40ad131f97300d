import { createHmac, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { secretTokenClaims, signingKeyOf, signJwt, type Binding } from '#libs/kube-api/tokens';
import { AccountTokens, type Verdict } from './account-tokens';

const key = signingKeyOf(
  createPrivateKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })),
);
const other = signingKeyOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
const start = Date.UTC(2026, 0, 1, 12);

const account = { metadata: { namespace: 'web', name: 'robot', uid: 'account-uid' } } as KubeObject;
const pod = { metadata: { namespace: 'web', name: 'p', uid: 'pod-uid' }, spec: { nodeName: 'n' } } as unknown as KubeObject;
const own = 'https://kubernetes.default.svc.cluster.local';

let objects: Map<string, KubeObject>;
let now: number;
let tokens: AccountTokens;
beforeEach(() => {
  now = start;
  objects = new Map([
    ['serviceaccounts/web/robot', account],
    ['pods/web/p', pod],
  ]);
  const keys = { signingKey: () => Promise.resolve(key), verificationKeys: () => Promise.resolve([key]) };
  tokens = new AccountTokens(
    keys,
    (resource, namespace, name) => objects.get(`${resource}/${namespace}/${name}`),
    () => now,
  );
});

const issue = (binding?: Binding, audiences: string[] = [own]): Promise<string> =>
  tokens.issue({ account, audiences, id: 'token-id', now, expirationSeconds: 600, ...(binding ? { binding } : {}) });
const ask = async (token: string, audiences?: string[]): Promise<Verdict | undefined> => tokens.authenticate(token, audiences);
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('tokens of service accounts', () => {
  it('tell the account, and what they are bound to', async () => {
    const token = await issue({ kind: 'Pod', object: pod, node: { name: 'n', uid: 'node-uid' } });
    expect(await ask(token)).toEqual({
      audiences: [own],
      user: {
        name: 'system:serviceaccount:web:robot',
        uid: 'account-uid',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:web', 'system:authenticated'],
        extra: {
          'authentication.kubernetes.io/credential-id': ['JTI=token-id'],
          'authentication.kubernetes.io/node-name': ['n'],
          'authentication.kubernetes.io/node-uid': ['node-uid'],
          'authentication.kubernetes.io/pod-name': ['p'],
          'authentication.kubernetes.io/pod-uid': ['pod-uid'],
        },
      },
    });
  });

  it('are for the audiences they name', async () => {
    const token = await issue(undefined, ['vault', 'db']);
    const text = `token audiences ["vault" "db"] is invalid for the target audiences ["${own}"]`;
    expect(await ask(token)).toEqual({ error: text });
    expect(await ask(token, ['x', 'db'])).toMatchObject({ audiences: ['db'] });
    expect(await ask(token)).toEqual({ error: text });
  });

  it('end', async () => {
    const token = await issue();
    now = start - 61_000;
    expect(await ask(token)).toEqual({ error: 'service account token is not valid yet' });
    now = start + 660_000;
    expect(await ask(token)).toHaveProperty('user');
    now += 10_000;
    expect(await ask(token)).toEqual({ error: 'service account token has expired' });
  });

  it('end ten seconds after what they are bound to at the latest', async () => {
    const token = await issue({ kind: 'Pod', object: pod });
    expect(await ask(token)).toHaveProperty('user');
    objects.delete('pods/web/p');
    expect(await ask(token)).toHaveProperty('user');
    now += 10_000;
    expect(await ask(token)).toEqual({ error: 'service account token has been invalidated' });
    objects.set('pods/web/p', { ...pod, metadata: { ...pod.metadata, uid: 'another' } });
    expect(await ask(token)).toEqual({ error: 'pod UID (another) does not match service account pod ref claim (pod-uid)' });
  });

  it('end with their account', async () => {
    const token = await issue();
    objects.set('serviceaccounts/web/robot', { ...account, metadata: { ...account.metadata, uid: 'another' } });
    expect(await ask(token)).toEqual({ error: 'service account UID (another) does not match claim (account-uid)' });
    objects.delete('serviceaccounts/web/robot');
    expect(await ask(token)).toEqual({ error: 'serviceaccounts "robot" not found' });
  });

  it('of which a letter was changed are nobody’s', async () => {
    const [head, body, tail] = (await issue()).split('.') as [string, string, string];
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as { sub: string };
    const broken = 'go-jose/go-jose: error in cryptographic primitive';
    expect(await ask(`${head}.${part({ ...claims, sub: 'system:serviceaccount:web:admin' })}.${tail}`)).toEqual({ error: broken });
    expect(await ask(`${head}.${body}.${tail.slice(0, -4)}AAAA`)).toEqual({ error: broken });
    expect(await ask(`${head}.${body}.`)).toBeUndefined();
    expect(await ask(`${head}.${body}`)).toBeUndefined();
  });

  it('choose neither how they are checked nor with which key', async () => {
    const [, body] = (await issue()).split('.') as [string, string];
    const unsigned = `${part({ alg: 'none' })}.${body}`;
    const broken = { error: 'go-jose/go-jose: error in cryptographic primitive' };
    expect(await ask(`${unsigned}.`)).toBeUndefined();
    expect(await ask(`${unsigned}.AAAA`)).toEqual(broken);
    // The public key is known to all: it must not do as a shared secret.
    const confused = `${part({ alg: 'HS256', kid: key.id })}.${body}`;
    for (const secret of [key.publicKey.export({ type: 'spki', format: 'pem' }), key.publicKey.export({ type: 'spki', format: 'der' })]) {
      const signature = createHmac('sha256', secret).update(confused).digest('base64url');
      expect(await ask(`${confused}.${signature}`)).toEqual(broken);
    }
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, never>;
    expect(await ask(signJwt(claims, other))).toEqual({ error: 'invalid signature, no keys found' });
    expect(await ask(signJwt(claims, { ...other, id: key.id }))).toEqual(broken);
    expect(await ask(signJwt(claims, { ...other, id: '' }))).toEqual(broken);
  });

  it('of another issuer are not looked at', async () => {
    expect(await ask(signJwt({ iss: 'https://example.com', sub: 'jane' }, key))).toBeUndefined();
    expect(await ask('not.a.token')).toBeUndefined();
  });

  it('in a Secret are worth as long as the Secret holds them', async () => {
    const token = signJwt(secretTokenClaims(account, 'robot-token'), key);
    const data = { token: Buffer.from(token).toString('base64') };
    const secret = { metadata: { namespace: 'web', name: 'robot-token', uid: 's' }, data } as unknown as KubeObject;
    expect(await ask(token)).toEqual({ error: 'Token has been invalidated' });
    objects.set('secrets/web/robot-token', { ...secret, data: { token: 'YWJj' } });
    expect(await ask(token)).toEqual({ error: "Token does not match server's copy" });
    const labels = { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' };
    objects.set('secrets/web/robot-token', { ...secret, metadata: { ...secret.metadata, labels } });
    expect(await ask(token)).toMatchObject({ error: /has been marked invalid/ });
    objects.set('secrets/web/robot-token', secret);
    expect(await ask(token)).toMatchObject({ user: { name: 'system:serviceaccount:web:robot', uid: 'account-uid' } });
    expect(await ask(token, ['other'])).toHaveProperty('error');
  });
});
