// Requests that real clients sent to a real server, from the recorded sessions: bytes to begin with that make sense.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goldenFolder } from '../golden/golden-folder';
import { encodeQuery } from '../golden/api/play/client';

export interface RecordedRequest {
  method: string;
  path: string;
  contentType: string | undefined;
  body: Buffer | undefined;
}

interface Step {
  request?: { method?: string; path?: string; query?: string; contentType?: string; body?: unknown };
}

/** Whatever goes on and on has no place between other requests. */
const isStream = /[?&](watch|follow)=|\/(exec|attach|portforward|proxy)\b|\/watch\//;
/** Namespaces of the sessions: all of it happens in ours. */
const sessionNamespace = /\/namespaces\/(?!default\b|kube-)[^/?]+(?=\/)/;

let all: readonly RecordedRequest[] | undefined;

export function recordedRequests(): readonly RecordedRequest[] {
  return (all ??= read());
}

function read(): RecordedRequest[] {
  const folder = goldenFolder('api');
  if (!folder) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .flatMap((line) => (line === '' ? [] : of(JSON.parse(line) as Step)));
}

function of({ request }: Step): RecordedRequest[] {
  const { method, path, query, contentType, body } = request ?? {};
  if (!method || !path?.startsWith('/') || method === 'CONNECT') return [];
  const target = `${path.replace(sessionNamespace, '/namespaces/fuzz')}${query ? `?${encodeQuery(query)}` : ''}`;
  if (isStream.test(target) || /[^\x21-\x7e]/.test(target)) return [];
  const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return [{ method, path: target, contentType: contentType ?? (bytes ? 'application/json' : undefined), body: bytes }];
}
