import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { releaseKinds } from '..';
import { warningsOf } from '../../validation';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const object = (fields: object, annotations?: Record<string, string>): KubeObject =>
  ({ metadata: { name: 'x', namespace: 'a', ...(annotations ? { annotations } : {}) }, ...fields }) as KubeObject;
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
const block = (label: string): string => `-----BEGIN ${label}-----\nYQ==\n-----END ${label}-----\n`;

it.each([
  ['a', 'b', 'failed to find any PEM data in certificate input'],
  [key, 'b', 'but did find a private key; PEM inputs may have been switched'],
  [block('X') + block('Y'), 'b', 'skipping PEM blocks of the following types: [X Y]'],
  [block('CERTIFICATE'), 'b', 'failed to find any PEM data in key input'],
  [block('CERTIFICATE'), block('CERTIFICATE'), 'found a certificate rather than a key'],
  [block('CERTIFICATE'), key, 'x509: malformed certificate'],
])('a secret of TLS that cannot be used as such is warned of', (certificate, keys, text) => {
  const data = { 'tls.crt': base64(certificate), 'tls.key': base64(keys) };
  const secrets = releaseKinds.kindOf('secrets');
  expect(warningsOf(secrets, object({ type: 'kubernetes.io/tls', data }))).toEqual([expect.stringContaining(text)]);
  expect(warningsOf(secrets, object({ type: 'Opaque', data }))).toEqual([]);
});

it('a service account that limits what may be mounted is warned of when that is new', () => {
  const accounts = releaseKinds.kindOf('serviceaccounts');
  const limited = object({}, { 'kubernetes.io/enforce-mountable-secrets': 'true' });
  expect(warningsOf(accounts, limited, object({}))).toHaveLength(1);
  expect(warningsOf(accounts, limited, limited)).toEqual([]);
});

it('a replication controller is warned of by the template that was', () => {
  const kind = releaseKinds.kindOf('replicationcontrollers');
  const controller = (generation: number, key: string): KubeObject =>
    ({ metadata: { name: 'x', generation }, spec: { template: { spec: { nodeSelector: { [key]: 'a' } } } } }) as unknown as KubeObject;
  expect(warningsOf(kind, controller(2, 'fine'), controller(1, 'beta.kubernetes.io/os'))).toHaveLength(1);
  expect(warningsOf(kind, controller(2, 'beta.kubernetes.io/os'), controller(1, 'fine'))).toEqual([]);
});

it('ranges of a node with bits behind their prefix are warned of', () => {
  const nodes = releaseKinds.kindOf('nodes');
  expect(warningsOf(nodes, object({ spec: { podCIDRs: ['10.1.0.1/24'] } }))).toEqual([expect.stringContaining('is ambiguous')]);
});
