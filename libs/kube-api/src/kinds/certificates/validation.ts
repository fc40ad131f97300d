import { X509Certificate } from 'node:crypto';
import type { KubeObject } from '#libs/kernel';
import { duplicate, forbidden, invalidValue, required, tooLong, unsupported } from '../../status/field-error';
import { goQuote } from '../../status/go-value';
import { byteLength, isDnsLabel, isDnsSubdomain } from '../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { isSet, listOf, type Errors, type Loose } from '../../validation/values';
import { pemBlocks } from './pem';
import { readCertificateRequest } from './pkcs10';
import { knownUsages } from './usages';

const expirationSecondsMin = 600;
const legacySigner = 'kubernetes.io/legacy-unknown';

/** What an update is allowed beyond what any is. */
interface Permissions {
  readonly approval?: boolean;
  readonly certificate?: boolean;
}

export function validateSigningRequest(request: KubeObject, errors: Errors): void {
  validateWhole(request, undefined, errors);
}

export function validateSigningRequestUpdate(updated: KubeObject, old: KubeObject, may: Permissions, errors: Errors): void {
  validateWhole(updated, old, errors);
  validateConditionChanges(updated, old, may, errors);
  const [before, after]: string[] = [old.status?.certificate ?? '', updated.status?.certificate ?? ''];
  if (after !== before) {
    if (!may.certificate) errors.push(forbidden('status.certificate', 'updates may not set certificate content'));
    else if (before !== '') errors.push(forbidden('status.certificate', 'updates may not modify existing certificate content'));
  }
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
}

function validateWhole(request: KubeObject, old: KubeObject | undefined, errors: Errors): void {
  const spec: Loose = request.spec ?? {};
  // Any name will do.
  validateMetadata(request.metadata, { namespaced: false, name: () => [] }, errors);
  const read = readCertificateRequest(spec.request ?? '');
  if (typeof read === 'string') errors.push(invalidValue('spec.request', spec.request ?? null, read));
  validateUsages(listOf(spec.usages), errors);
  const signer: string = spec.signerName ?? '';
  if (signer === legacySigner) {
    errors.push(invalidValue('spec.signerName', signer, 'the legacy signerName is not allowed via this API version'));
  } else validateSignerName(signer, 'spec.signerName', errors);
  const { expirationSeconds } = spec;
  if (isSet(expirationSeconds) && expirationSeconds < expirationSecondsMin) {
    const text = 'may not specify a duration less than 600 seconds (10 minutes)';
    errors.push(invalidValue('spec.expirationSeconds', expirationSeconds, text));
  }
  validateConditions(listOf(request.status?.conditions), errors);
  const certificate: string = request.status?.certificate ?? '';
  if (old && certificate === (old.status?.certificate ?? '')) return;
  const wrong = certificateProblem(certificate);
  if (wrong !== undefined) errors.push(invalidValue('status.certificate', '<certificate data>', wrong));
}

function validateUsages(usages: readonly string[], errors: Errors): void {
  if (usages.length === 0) errors.push(required('spec.usages'));
  for (const [index, usage] of usages.entries()) {
    if (!(knownUsages as readonly string[]).includes(usage ?? ''))
      errors.push(unsupported(`spec.usages[${index}]`, usage ?? '', knownUsages));
  }
  for (const [index, usage] of usages.entries()) {
    if (usages.indexOf(usage) < index) errors.push(duplicate(`spec.usages[${index}]`, usage ?? ''));
  }
}

/** A domain, a slash, and a namespace and a name with a dot between them. */
const signerBytesMax = 253 + 1 + 253 + 1 + 63;

/** `example.com/signer` */
function validateSignerName(signer: string, field: string, errors: Errors): void {
  if (signer === '') {
    errors.push(required(field));
    return;
  }
  const [domain = '', path = '', ...rest] = signer.split('/');
  if (!signer.includes('/') || rest.length > 0) {
    const text = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    errors.push(invalidValue(field, signer, text));
    return;
  }
  if (byteLength(domain) > 253) errors.push(tooLong(field, 253));
  validateLabels(domain, isDnsLabel, field, errors);
  if (!domain.includes('.')) {
    errors.push(invalidValue(field, domain, 'should be a domain with at least two segments separated by dots'));
  }
  validateLabels(path, isDnsSubdomain, field, errors);
  if (byteLength(signer) > signerBytesMax) errors.push(tooLong(field, signerBytesMax));
}

/** The first label that is wrong, and no other. */
function validateLabels(text: string, format: (label: string) => string[], field: string, errors: Errors): void {
  const wrong = text.split('.').find((label) => format(label).length > 0);
  if (wrong === undefined) return;
  for (const why of format(wrong)) errors.push(invalidValue(field, text, `validating label ${goQuote(wrong)}: ${why}`));
}

const onlyTrue = ['Approved', 'Denied', 'Failed'];
const verdicts = ['Approved', 'Denied'];

function validateConditions(conditions: readonly Loose[], errors: Errors): void {
  const seen = new Set<string>();
  for (const [index, { type = '', status = '' }] of conditions.entries()) {
    const field = `status.conditions[${index}]`;
    if (type === '') errors.push(required(`${field}.type`));
    const allowed = onlyTrue.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (status === '') errors.push(required(`${field}.status`));
    else if (!allowed.includes(status)) errors.push(unsupported(`${field}.status`, status, allowed));
    if (verdicts.some((verdict) => verdict !== type && seen.has(verdict)) && verdicts.includes(type)) {
      errors.push(invalidValue('status.conditions', type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (seen.has(type)) errors.push(duplicate(`${field}.type`, type));
    seen.add(type);
  }
}

/** What has been said stays said; a verdict is given through /approval alone. */
function validateConditionChanges(updated: KubeObject, old: KubeObject, may: Permissions, errors: Errors): void {
  const count = (request: KubeObject, wanted: string): number =>
    listOf(request.status?.conditions).filter(({ type }) => type === wanted).length;
  for (const type of onlyTrue) {
    if (count(updated, type) >= count(old, type)) continue;
    errors.push(forbidden('status.conditions', `updates may not remove a condition of type ${goQuote(type)}`));
  }
  if (may.approval) return;
  for (const type of verdicts) {
    if (count(updated, type) <= count(old, type)) continue;
    errors.push(forbidden('status.conditions', `updates may not add a condition of type ${goQuote(type)}`));
  }
}

/** Blocks of certificates and of nothing else. @param encoded base64 of PEM */
function certificateProblem(encoded: string): string | undefined {
  if (encoded === '') return undefined;
  const blocks = pemBlocks(Buffer.from(encoded, 'base64').toString('latin1'));
  for (const { label, bytes, hasHeaders } of blocks) {
    if (label !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(label)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
    if (!isCertificate(bytes)) return 'x509: malformed certificate';
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length > 0;
  } catch {
    return false;
  }
}
