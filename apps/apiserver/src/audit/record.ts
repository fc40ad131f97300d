import { formatMicroTime, type JsonObject } from '#libs/kernel';
import { goEscaped, goQuote } from '#libs/kube-api';
import type { AuditLevel, AuditStage } from '#libs/kube-api/audit';

/** `audit.k8s.io/v1 ObjectReference`. */
export interface ObjectReference {
  resource?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiGroup?: string;
  apiVersion?: string;
  resourceVersion?: string;
  subresource?: string;
}

/** What is written of a request at one stage of it (`audit.k8s.io/v1 Event`). Bodies are JSON; times are ms since the epoch. */
export interface AuditRecord {
  level: AuditLevel;
  auditID: string;
  stage: AuditStage;
  requestURI: string;
  verb: string;
  /** `UserInfo`; empty: nobody knows. */
  user: JsonObject;
  impersonatedUser?: JsonObject;
  sourceIPs: readonly string[];
  userAgent?: string;
  objectRef?: ObjectReference;
  responseStatus?: JsonObject;
  requestObject?: string;
  responseObject?: string;
  receivedAt: number;
  stageAt: number;
  annotations: ReadonlyMap<string, string>;
}

export type AuditFormat = 'json' | 'legacy';

/** A line of the log, in the order in which Go writes the fields. */
export function auditLine(record: AuditRecord, format: AuditFormat): string {
  return format === 'legacy' ? legacyLine(record) : `${goEscaped(jsonOf(record))}\n`;
}

function jsonOf(record: AuditRecord): string {
  const { level, auditID, stage, requestURI, verb, user, impersonatedUser, sourceIPs, userAgent } = record;
  const { objectRef, responseStatus, requestObject, responseObject, annotations } = record;
  const head = { level, auditID, stage, requestURI, verb, user, impersonatedUser };
  const from = { sourceIPs: sourceIPs.length > 0 ? sourceIPs : undefined, userAgent: userAgent === '' ? undefined : userAgent };
  const about = { kind: 'Event', apiVersion: 'audit.k8s.io/v1', ...head, ...from, objectRef: ordered(objectRef), responseStatus };
  // Bodies are JSON already, and may be long.
  const bodies = `${bodyOf('requestObject', requestObject)}${bodyOf('responseObject', responseObject)}`;
  const times = { requestReceivedTimestamp: formatMicroTime(record.receivedAt), stageTimestamp: formatMicroTime(record.stageAt) };
  const notes = annotations.size > 0 ? Object.fromEntries([...annotations].sort(([a], [b]) => (a < b ? -1 : 1))) : undefined;
  return `${JSON.stringify(about).slice(0, -1)}${bodies},${JSON.stringify({ ...times, annotations: notes }).slice(1)}`;
}

function bodyOf(name: string, json: string | undefined): string {
  return json === undefined ? '' : `,"${name}":${json}`;
}

/** What is empty is left out. */
function ordered(reference: ObjectReference | undefined): ObjectReference | undefined {
  if (!reference) return undefined;
  const { resource, namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource } = reference;
  const all = { resource, namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== ''));
}

/** One line of text with a part of what is known (upstream `EventString`). */
function legacyLine(record: AuditRecord): string {
  const { auditID, stage, requestURI, verb, user, impersonatedUser, sourceIPs, userAgent = '', objectRef, responseStatus } = record;
  const name = (user['username'] as string | undefined) ?? '';
  const groupsOf = (info: JsonObject | undefined, none: string): string => {
    const groups = (info?.['groups'] ?? []) as string[];
    return groups.length > 0 ? groups.map(goQuote).join(',') : none;
  };
  const parts = {
    id: auditID,
    stage,
    ip: sourceIPs[0] ?? '<unknown>',
    method: verb,
    user: name || '<none>',
    groups: name === '' ? '<none>' : groupsOf(user, '<none>'),
    as: (impersonatedUser?.['username'] as string | undefined) ?? '<self>',
    asgroups: groupsOf(impersonatedUser, '<lookup>'),
    'user-agent': userAgent,
    namespace: objectRef?.namespace || '<none>',
    uri: requestURI,
  };
  const text = Object.entries(parts).map(([part, value]) => `${part}=${goQuote(value)}`);
  // Go leaves out zeros at the end of a fraction.
  const at = formatMicroTime(record.receivedAt).replace(/\.?0+Z$/, 'Z');
  return `${at} AUDIT: ${text.join(' ')} response="${String(responseStatus?.['code'] ?? '<deferred>')}"\n`;
}
