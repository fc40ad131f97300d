// The API server that one recorded line is played against, and what is read of it.
import { isObject } from '#libs/kernel';
import { ApiUnderTest, type Received } from '../../api-under-test.fixture';
import { parse } from '../api/compare/response';
import type { Frame, SetupRequest } from './recording';

const json = 'application/json';

export interface Prepared {
  api: ApiUnderTest;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Names of the objects that were created at a path. */
  created: (path: string) => ReadonlySet<string>;
  /** The last version that each object at a path was given, by name. */
  versions: (path: string) => ReadonlyMap<string, string>;
}

/** A fresh server with a line's objects. @throws Error where one of them is refused */
export async function prepared(setup: readonly SetupRequest[]): Promise<Prepared> {
  const api = await ApiUnderTest.start();
  const startedAt = Date.now();
  const created = new Map<string, Set<string>>();
  const versions = new Map<string, Map<string, string>>();
  try {
    for (const request of setup) {
      const { status, body } = await send(api, request, startedAt);
      if (status >= 300) throw new Error(`${request.method} ${request.path} of the set-up was answered ${status}: ${messageOf(body)}`);
      if (request.method === 'DELETE') continue;
      const { name, resourceVersion } = (JSON.parse(body) as { metadata: { name: string; resourceVersion: string } }).metadata;
      const path = request.method === 'POST' ? request.path : request.path.slice(0, request.path.indexOf(`/${name}`));
      if (request.method === 'POST') created.set(path, (created.get(path) ?? new Set()).add(name));
      versions.set(path, (versions.get(path) ?? new Map<string, string>()).set(name, resourceVersion));
    }
  } catch (error) {
    await api.close();
    throw error;
  }
  return {
    api,
    startedAt,
    created: (path) => created.get(path) ?? new Set(),
    versions: (path) => versions.get(path) ?? new Map<string, string>(),
  };
}

/** `<time-920s>` is 920 seconds before the set-up. */
function send(api: ApiUnderTest, { method, path, contentType = json, body }: SetupRequest, startedAt: number): Promise<Received> {
  if (body === undefined) return api.send({ method, path });
  const ago = (seconds: string): string => new Date(startedAt - Number(seconds) * 1_000).toISOString().replace(/\.\d+Z/, 'Z');
  const text = JSON.stringify(body).replace(/<time-(\d+)s>/g, (_, seconds: string) => ago(seconds));
  return api.send({ method, path, headers: { 'content-type': contentType }, body: text });
}

export function target(path: string, query: Readonly<Record<string, string | number | boolean | undefined>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)])).toString()}`;
}

export function messageOf(body: string): string {
  return String((parse(body) as { message?: unknown } | undefined)?.message ?? body);
}

/** Names of a list's items, in its order. */
export function namesIn(body: unknown): string[] {
  const items = isObject(body) && Array.isArray(body['items']) ? (body['items'] as { metadata: { name: string } }[]) : [];
  return items.map(({ metadata }) => metadata.name);
}

/** The frames of a watch that has ended. */
export function framesIn(body: string): Frame[] {
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { type, object } = JSON.parse(line) as { type: string; object: { metadata?: { name?: string }; message?: string } };
      return [type, object.metadata?.name ?? object.message ?? ''];
    });
}
