import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bits, oid, sequence, set, utf8 } from '../../libs/app-shell/src/certificates/der';
import { createAuthority, signRequest } from '#libs/app-shell/certificates';
import { readCertificateRequest, type CertificateRequest } from '#libs/kube-api';
import { eventually, kubereel, RunningCluster, type Answer } from './running-cluster';

const folder = RunningCluster.temporaryFolder();
const keyFile = join(folder, 'service-account.key');
let cluster: RunningCluster;
beforeAll(async () => {
  cluster = await RunningCluster.start(folder, '--nodes', '0');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const tokens = '/api/v1/namespaces/default/serviceaccounts/default/token';
const signingRequests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const whoami = (token: string): Promise<Answer> => cluster.call('POST', reviews, {}, { authorization: `Bearer ${token}` });

/** Asks who one is over a connection that shows a certificate and has no token. */
function whoamiBy(cert: string, key: string): Promise<Answer> {
  const url = new URL(cluster.url);
  const ca = (JSON.parse(readFileSync(join(folder, 'kubereel.json'), 'utf8')) as { ca: string }).ca;
  return new Promise((resolve, reject) => {
    const options = { host: url.hostname, port: url.port, path: reviews, method: 'POST', ca, cert, key, agent: false as const };
    const sent = request({ ...options, headers: { 'content-type': 'application/json' } }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ code: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end('{}');
  });
}

/** A certificate request, base64 of PEM, and its key. */
function requestOf(commonName: string): { text: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(oid('2.5.4.10'), utf8('ops'))), set(sequence(oid('2.5.4.3'), utf8(commonName))));
  const body = sequence(Buffer.from([2, 1, 0]), name, publicKey.export({ type: 'spki', format: 'der' }), Buffer.from([0xa0, 0]));
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const der = sequence(body, sequence(oid('1.2.840.10045.4.3.2')), bits(sign('sha256', body, createPrivateKey(key))));
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  return { text: Buffer.from(pem).toString('base64'), key };
}

/** Every file below a folder. */
function files(within: string): string[] {
  return readdirSync(within, { withFileTypes: true }).flatMap((entry) => {
    const path = join(within, entry.name);
    return entry.isDirectory() ? files(path) : entry.isFile() ? [path] : [];
  });
}

let token = '';

describe('who somebody is', () => {
  it('is told by a token that is nowhere but with its owner; the key for it is made with the first one', async () => {
    expect(existsSync(keyFile)).toBe(false);
    const { code, body } = await cluster.call('POST', tokens, { spec: { expirationSeconds: 600 } });
    expect(code).toBe(201);
    token = body.status.token;
    expect((await whoami(token)).body.status.userInfo.username).toBe('system:serviceaccount:default:default');
    expect((await whoami(`${token.slice(0, -4)}AAAA`)).code).toBe(401);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    const signature = token.split('.')[2] as string;
    for (const file of files(folder)) expect(readFileSync(file).includes(signature), file).toBe(false);
    expect(cluster.output).not.toContain(signature);
    for (const pid of Object.values(cluster.ready()?.apps ?? {})) {
      const commandLine = `/proc/${pid}/cmdline`;
      const shown = existsSync(commandLine) ? readFileSync(commandLine, 'utf8') : '';
      expect(shown.includes(cluster.bearer) || shown.includes('PRIVATE KEY')).toBe(false);
    }
  });

  it('is told by a certificate that was asked for and approved', async () => {
    const { text, key } = requestOf('jane');
    const spec = { request: text, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] };
    const { body } = await cluster.call('POST', signingRequests, { metadata: { name: 'jane' }, spec });
    const approved = { ...body, status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test' }] } };
    expect((await cluster.call('PUT', `${signingRequests}/jane/approval`, approved)).code).toBe(200);
    const encoded = await eventually('the certificate', async () => {
      const found = await cluster.get(`${signingRequests}/jane`);
      return found.body.status.certificate as string | undefined;
    });
    const answer = await whoamiBy(Buffer.from(encoded, 'base64').toString(), key);
    expect(answer.body.status.userInfo).toMatchObject({ username: 'jane', groups: ['ops', 'system:authenticated'] });
  });

  it('is not told by a certificate of somebody else’s making', async () => {
    const { text, key } = requestOf('admin');
    const read = readCertificateRequest(text) as CertificateRequest;
    const forged = signRequest(read, { usages: ['client auth'], now: Date.now() }, await createAuthority(Date.now()));
    expect((await whoamiBy(forged, key)).code).toBe(401);
  });

  it('is the same after a restart, and the log agrees that all of it was asked for', async () => {
    await cluster.stop();
    cluster = await RunningCluster.start(folder);
    expect((await whoami(token)).body.status.userInfo.username).toBe('system:serviceaccount:default:default');
    await cluster.stop();
    const { code, stdout } = await kubereel(['verify', '--data', folder]);
    expect(code, stdout).toBe(0);
  });
});
