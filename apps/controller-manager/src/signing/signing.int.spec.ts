import { generateKeyPairSync, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClientCertificates, type PeerCertificate } from '../../../apiserver/src/authentication/client-certificates';
import { ModuleUnderTest } from '../../../../libs/app-shell/src/module-under-test.fixture';
import { bits, oid, sequence, set, utf8 } from '../../../../libs/app-shell/src/certificates/der';
import { createAuthority, type Authority } from '#libs/app-shell/certificates';
import { AccountKeys } from '#libs/app-shell';
import { Writer } from '#libs/control-loop';
import { isSignedBy, readJwt } from '#libs/kube-api/tokens';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { ControllerManagerModule } from '../controller-manager.module';

const requests = 'certificatesigningrequests.certificates.k8s.io';

let app: ModuleUnderTest;
let authority: Authority;
beforeEach(async () => {
  authority = await createAuthority(Date.now());
  const apiserver = { ca: 'PEM of the CA' } as never;
  app = await ModuleUnderTest.start(ControllerManagerModule, { controllerManager: { signer: authority }, apiserver });
});
afterEach(() => app.close());

/** A request as openssl makes one, base64 of PEM. */
function requestOf(commonName: string, organization: string): { request: string; key: KeyObject } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(oid('2.5.4.10'), utf8(organization))), set(sequence(oid('2.5.4.3'), utf8(commonName))));
  const body = sequence(Buffer.from([2, 1, 0]), name, publicKey.export({ type: 'spki', format: 'der' }), Buffer.from([0xa0, 0]));
  const der = sequence(body, sequence(oid('1.2.840.10045.4.3.2')), bits(sign('sha256', body, privateKey)));
  const text = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  return { request: Buffer.from(text).toString('base64'), key: privateKey };
}

async function write(resource: string, name: string, subresource: 'approval', change: (object: KubeObject) => JsonObject): Promise<void> {
  const object = change(app.runtime.state.get(resource, undefined, name) as KubeObject) as unknown as KubeObject;
  const origin = { actor: 'user:test', operation: `approve/${name}`, correlationId: name };
  const result = await app.module.get(Writer).write({ verb: 'update', target: { resource, name }, subresource, object }, origin);
  if (result.kind === 'refused') throw new Error(result.status.message);
}

const approve = (name: string): Promise<void> =>
  write(requests, name, 'approval', (request) => ({
    ...(request as unknown as JsonObject),
    status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test' }] },
  }));

const submit = (name: string, spec: JsonObject): Promise<void> =>
  app.create(requests, { metadata: { name }, spec: { usages: ['client auth'], ...spec } });

const issued = async (name: string): Promise<X509Certificate> => {
  const { status } = await app.until(requests, `/${name}`, (request) => Boolean(request.status?.certificate));
  return new X509Certificate(Buffer.from(status?.certificate as string, 'base64'));
};

describe('what a CertificateSigningRequest asks for', () => {
  it('is signed once it is approved, and its certificate tells who a client is', async () => {
    const { request, key } = requestOf('jane', 'ops');
    await submit('jane', { request, signerName: 'kubernetes.io/kube-apiserver-client', expirationSeconds: 3600 });
    await approve('jane');
    const certificate = await issued('jane');
    expect(certificate.checkPrivateKey(key)).toBe(true);
    expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBe(3_900_000);
    const peer: PeerCertificate = { certificate, chain: [] };
    expect(new ClientCertificates(authority.certificate).userOf(peer, Date.now())).toMatchObject({
      name: 'jane',
      groups: ['ops', 'system:authenticated'],
    });
    expect(new ClientCertificates(authority.certificate).userOf(peer, Date.now() + 3_700_000)).toBeUndefined();
    const other = await createAuthority(Date.now());
    expect(new ClientCertificates(other.certificate).userOf(peer, Date.now())).toBeUndefined();
  });

  it('is not signed where the signer has rules against it, which it then says', async () => {
    const { request } = requestOf('jane', 'ops');
    await submit('serving', { request, signerName: 'kubernetes.io/kubelet-serving', usages: ['server auth', 'digital signature'] });
    await approve('serving');
    const { status } = await app.until(requests, '/serving', (found) => JSON.stringify(found.status).includes('Failed'));
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ reason: 'SignerValidationFailure', message: 'subject organization is not system:nodes' }),
    );
  });

  it('is approved by itself for a kubelet that a role lets ask', async () => {
    const { request } = requestOf('system:node:a', 'system:nodes');
    const usages = ['client auth', 'digital signature'];
    const spec = {
      request,
      usages,
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      username: 'bootstrap',
      groups: ['kubelets'],
    };
    await submit('kubelet', spec);
    const role = 'system:certificates.k8s.io:certificatesigningrequests:nodeclient';
    const subjects = [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'kubelets' }];
    const rules = [{ apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests/nodeclient'], verbs: ['create'] }];
    await app.create('clusterroles.rbac.authorization.k8s.io', { metadata: { name: role }, rules });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role };
    await app.create('clusterrolebindings.rbac.authorization.k8s.io', { metadata: { name: 'kubelets' }, subjects, roleRef });
    expect((await issued('kubelet')).subject).toBe('O=system:nodes\nCN=system:node:a');
    expect(app.runtime.state.get(requests, undefined, 'kubelet')?.status?.conditions).toMatchObject([{ reason: 'AutoApproved' }]);
  });
});

describe('a Secret for the token of an account', () => {
  const secret = {
    metadata: { namespace: 'default', name: 'robot-token', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
  };

  it('gets the token, the CA and the namespace, and goes with the account', async () => {
    await app.create('namespaces', { metadata: { name: 'default' } });
    await app.create('serviceaccounts', { metadata: { namespace: 'default', name: 'robot' } });
    await app.create('secrets', { ...secret, type: 'kubernetes.io/service-account-token' });
    const { data } = await app.until('secrets', 'default/robot-token', (found) => Boolean((found.data as { token?: string })?.token));
    const held = Object.fromEntries(Object.entries(data as object).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
    expect(held).toMatchObject({ 'ca.crt': 'PEM of the CA', namespace: 'default' });
    const token = readJwt(held.token as string);
    expect(token?.claims.sub).toBe('system:serviceaccount:default:robot');
    expect(token && isSignedBy(token, await app.module.get(AccountKeys).signingKey())).toBe(true);
    const origin = { actor: 'user:test', operation: 'delete', correlationId: 'delete' };
    const target = { resource: 'serviceaccounts', namespace: 'default', name: 'robot' };
    await app.module.get(Writer).write({ verb: 'delete', target }, origin);
    await expect.poll(() => app.runtime.state.get('secrets', 'default', 'robot-token')).toBeUndefined();
  });
});
