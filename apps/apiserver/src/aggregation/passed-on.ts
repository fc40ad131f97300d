import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { User } from '#libs/kube-api';
import type { Query } from '../request-info/query';

/** What of a request is about this connection alone (RFC 9110, 7.6.1), and `Host`, which is the other's. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Who somebody is, this server alone says to the other. */
const credentials = /^(?:authorization$|impersonate-|x-remote-(?:user|uid|group)$|x-remote-extra-)/;
const crossOrigin = /^access-control-allow-(?:credentials|headers|methods|origin)$/;

export interface PassedOn {
  headers: IncomingHttpHeaders;
  user: User;
  auditId: string;
  /** Address of the client. */
  from?: string;
  /** `HOST:PORT` that the other server is called by. */
  authority: string;
  path: string;
}

/** The headers of a request as they are passed on: without what is about the connection or says who somebody is, and with who he is. */
export function requestHeaders({ headers, user, auditId, from, authority, path }: PassedOn): OutgoingHttpHeaders {
  const passed: OutgoingHttpHeaders = {};
  const named = namedBy(headers.connection);
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':') || ofConnection.has(name) || named.has(name) || credentials.test(name) || value === undefined) continue;
    passed[name] = value;
  }
  Object.assign(passed, identityHeaders(user));
  passed['audit-id'] = auditId;
  const before = headers['x-forwarded-for'];
  if (from !== undefined) passed['x-forwarded-for'] = before === undefined ? from : `${String(before)}, ${from}`;
  passed['x-forwarded-host'] = authority;
  passed['x-forwarded-proto'] = 'https';
  passed['x-forwarded-uri'] = path;
  return passed;
}

/** Who asks, as a front proxy tells it. */
export function identityHeaders({ name, uid, groups, extra = {} }: User): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'X-Remote-User': bytesOf(name) };
  if (uid) headers['X-Remote-Uid'] = bytesOf(uid);
  if (groups.length > 0) headers['X-Remote-Group'] = groups.map(bytesOf);
  for (const [key, values] of Object.entries(extra)) headers[`X-Remote-Extra-${escapedKey(key)}`] = values.map(bytesOf);
  return headers;
}

/** As Go sends it: the bytes of its UTF-8. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Keys of extras may hold characters that no header may: those are percent-encoded, as the percent sign is. */
function escapedKey(key: string): string {
  let escaped = '';
  for (const byte of Buffer.from(key)) {
    const letter = String.fromCharCode(byte);
    escaped += /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(letter) ? letter : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

/** The headers of an answer as they are passed back. */
export function answerHeaders(headers: IncomingHttpHeaders): Record<string, string | readonly string[]> {
  const passed: Record<string, string | readonly string[]> = {};
  const named = namedBy(headers.connection);
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || ofConnection.has(name) || named.has(name) || crossOrigin.test(name)) continue;
    passed[shown(name)] = value;
  }
  return passed;
}

/** As Go writes header names, so that ours and the other's are one. */
function shown(name: string): string {
  return name.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

function namedBy(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
}

/** The path as Go writes it anew, and the query sorted by name. */
export function targetOf(path: string, query: Query): string {
  const escaped = encodeURIComponent(path)
    .replace(/%(2F|24|26|2B|2C|3A|3B|3D|40)/g, (code) => decodeURIComponent(code))
    .replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  const parameters = new URLSearchParams(query.entries());
  parameters.sort();
  const text = parameters.toString();
  return text === '' ? escaped : `${escaped}?${text}`;
}
