import type { Fields } from './fields';
import { maxInt } from './fields';
import type { Extender, ExtenderTls } from './types';

const extenderFields = [
  'urlPrefix',
  'filterVerb',
  'prioritizeVerb',
  'preemptVerb',
  'bindVerb',
  'weight',
  'enableHTTPS',
  'tlsConfig',
  'httpTimeout',
  'nodeCacheCapable',
  'managedResources',
  'ignorable',
];

/** The extenders of a configuration, defaults filled in. What is wrong is added to the problems of `configuration`. */
export function readExtenders(configuration: Fields): Extender[] {
  const extenders = configuration.children('extenders').map(readExtender);
  const binders = extenders.filter((extender) => extender.bindVerb !== '');
  if (binders.length > 1) configuration.problem('extenders', `at most one extender may bind, not ${binders.length}`);
  return extenders;
}

function readExtender(fields: Fields): Extender {
  fields.allow(...extenderFields);
  const urlPrefix = fields.text('urlPrefix', '');
  if (urlPrefix === '') fields.problem('urlPrefix', 'is required');
  const prioritizeVerb = fields.text('prioritizeVerb', '');
  const weight = fields.integer('weight', 0, maxInt, 0);
  if (prioritizeVerb !== '' && weight === 0) fields.problem('weight', 'must be greater than 0 with a prioritizeVerb');
  const names = new Set<string>();
  const managedResources = fields.children('managedResources').map((resource) => {
    resource.allow('name', 'ignoredByScheduler');
    const name = resource.text('name', '');
    if (!name.includes('/')) resource.problem('name', `"${name}" must be an extended resource (domain/name)`);
    if (names.has(name)) resource.problem('name', `"${name}" is listed twice`);
    names.add(name);
    return { name, ignoredByScheduler: resource.flag('ignoredByScheduler', false) };
  });
  return {
    urlPrefix: urlPrefix.replace(/\/+$/, ''),
    filterVerb: fields.text('filterVerb', ''),
    prioritizeVerb,
    bindVerb: fields.text('bindVerb', ''),
    preemptVerb: fields.text('preemptVerb', ''),
    weight,
    httpTimeoutMs: durationMs(fields, 'httpTimeout', 5000),
    nodeCacheCapable: fields.flag('nodeCacheCapable', false),
    ignorable: fields.flag('ignorable', false),
    managedResources,
    ...readTls(fields, urlPrefix),
  };
}

function readTls(fields: Fields, urlPrefix: string): { tls?: ExtenderTls } {
  const isHttps = fields.flag('enableHTTPS', false);
  if (!fields.has('tlsConfig') && !isHttps && !urlPrefix.startsWith('https:')) return {};
  const tls = fields.child('tlsConfig').allow('insecure', 'serverName', 'certFile', 'keyFile', 'caFile', 'certData', 'keyData', 'caData');
  const part = (file: string, data: string): { file?: string; data?: string } | undefined => {
    const base64 = tls.text(data);
    if (base64 !== undefined) return { data: base64 };
    const path = tls.text(file);
    return path === undefined ? undefined : { file: path };
  };
  const ca = part('caFile', 'caData');
  const insecure = tls.flag('insecure', false) || (isHttps && ca === undefined);
  return { tls: { insecure, serverName: tls.text('serverName'), ca, cert: part('certFile', 'certData'), key: part('keyFile', 'keyData') } };
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A duration as Go writes it (`1m30s`, `500ms`). */
function durationMs(fields: Fields, name: string, fallback: number): number {
  const text = fields.text(name);
  if (text === undefined) return fallback;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    fields.problem(name, `"${text}" must be a duration such as 5s or 500ms`);
    return fallback;
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0), 0);
}
