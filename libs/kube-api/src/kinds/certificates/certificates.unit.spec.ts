import { generateKeyPairSync, sign } from 'node:crypto';
import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { admissionSteps } from '../../admission';
import type { Admission, OwnStep } from '../../admission/chain';
import { printObjectTable } from '../../printing';
import { fieldErrorText } from '../../status';
import { prepareForCreate, prepareForUpdate } from '../../strategy';
import { validateCreate, validateUpdate } from '../../validation';
import { releaseKinds } from '../release';

const kind = releaseKinds.kindOf('certificatesigningrequests.certificates.k8s.io');
const now = Date.parse('2026-01-01T00:00:00Z');

const der = (tag: number, ...contents: Buffer[]): Buffer => {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.from(body.length < 128 ? [tag, body.length] : [tag, 0x81, body.length]), body]);
};
const sequence = (...items: Buffer[]): Buffer => der(0x30, ...items);
const ed25519 = sequence(der(0x06, Buffer.from([0x2b, 0x65, 0x70])));

/** A request of that organisation, as objects carry it. @param spoil changes the signature */
function encoded(organization: string, spoil = false): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const subject = sequence(der(0x31, sequence(der(0x06, Buffer.from([0x55, 0x04, 0x0a])), der(0x0c, Buffer.from(organization)))));
  const signed = sequence(der(0x02, Buffer.from([0])), subject, publicKey.export({ format: 'der', type: 'spki' }), der(0xa0));
  const signature = sign(null, signed, privateKey);
  if (spoil) signature[0] = (signature[0] as number) ^ 1;
  const request = sequence(signed, ed25519, der(0x03, Buffer.from([0]), signature));
  return Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${request.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`).toString(
    'base64',
  );
}

function made(request: string, spec: object = {}): KubeObject {
  const sent = { metadata: { name: 'csr' }, spec: { request, signerName: 'example.com/s', usages: ['client auth'], ...spec } };
  return prepareForCreate(kind, sent as unknown as KubeObject, { now, uid: 'u' });
}

const errorsOf = (request: KubeObject): string[] => validateCreate(kind, request).map(fieldErrorText);

describe('a CertificateSigningRequest', () => {
  it('is one that its key has signed', () => {
    expect(errorsOf(made(encoded('ops')))).toEqual([]);
    expect(errorsOf(made(encoded('ops', true)))[0]).toMatch(/^spec.request: Invalid value: ".*": x509: Ed25519 verification failure$/);
    const text = (contents: string): string => Buffer.from(contents).toString('base64');
    expect(errorsOf(made(text('hello')))[0]).toMatch(/PEM block type must be CERTIFICATE REQUEST$/);
    const cut = encoded('ops').slice(0, 160);
    expect(errorsOf(made(text(`${Buffer.from(cut, 'base64').toString()}\n-----END CERTIFICATE REQUEST-----`)))[0]).toMatch(
      /asn1: syntax error: data truncated$/,
    );
  });

  const conditions = (...types: string[]): object => ({ conditions: types.map((type) => ({ type, status: 'True' })) });
  const update = (old: KubeObject, status: object, subresource?: 'status' | 'approval'): KubeObject =>
    prepareForUpdate(kind, { ...old, spec: { ...old.spec, username: 'other' }, status } as KubeObject, old, subresource, now);
  const texts = (old: KubeObject, status: object, subresource?: 'status' | 'approval'): string[] =>
    validateUpdate(kind, update(old, status, subresource), old, subresource).map(fieldErrorText);

  it('is approved or denied through /approval alone, and not both', () => {
    const pending = made(encoded('ops'));
    expect(texts(pending, conditions('Approved'), 'status')).toEqual([
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ]);
    expect(texts(pending, conditions('Approved'), 'approval')).toEqual([]);
    expect(texts(pending, conditions('Approved', 'Denied'), 'approval')).toEqual([
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ]);
    const approved = update(pending, conditions('Approved'), 'approval');
    expect(texts(approved, conditions('Denied'), 'approval')).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
  });

  it('is told since when its conditions hold, and what it asks for never changes', () => {
    const pending = made(encoded('ops'), { username: 'jane' });
    const approved = update(pending, conditions('Approved'), 'approval');
    const time = '2026-01-01T00:00:00Z';
    expect(approved.status?.conditions).toEqual([{ type: 'Approved', status: 'True', lastUpdateTime: time, lastTransitionTime: time }]);
    expect(approved.spec?.username).toBe('jane');
    expect(update(approved, {}).status).toEqual(approved.status);
    expect(printObjectTable(kind, approved, { now }).rows[0]?.cells).toEqual(['csr', '0s', 'example.com/s', 'jane', '<none>', 'Approved']);
  });

  it('makes no administrators', () => {
    const step = admissionSteps.validate.find(({ name }) => name === 'CertificateSubjectRestriction') as OwnStep;
    const verdict = (organization: string): unknown =>
      step.admit(made(encoded(organization), { signerName: 'kubernetes.io/kube-apiserver-client' }), { kind } as Admission);
    expect(verdict('ops')).toHaveProperty('spec');
    expect(verdict('system:masters')).toMatchObject({ reason: 'Forbidden' });
  });
});
