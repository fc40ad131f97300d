import { createHash, timingSafeEqual } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';

/** Somebody who may use a server with TLS, over `Authorization: Basic`. */
export interface StoreUser {
  name: string;
  password: string;
  /** Administrators may also read `$all` and use `$…` streams; default: yes. */
  admin?: boolean;
}

/** The credentials are wrong, or no credentials at all. */
export class Unauthenticated extends Error {
  constructor() {
    super('Unauthenticated');
  }
}

/** The caller may not do what was asked. */
export class AccessDenied extends Error {
  constructor() {
    super('Access Denied');
  }
}

/** Who asks. `anybody` is everyone on a server without users, `nobody` a caller without credentials on one with users. */
export type Caller = 'anybody' | 'nobody' | 'user' | 'admin';

/** `$all`, or a stream's name. */
export type Place = { all: true } | { stream: string };

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const BASIC = /^basic +(.*)$/i;

/** Tells callers apart by their credentials. */
export class Gate {
  private readonly users: Map<string, { password: Buffer; admin: boolean }> | undefined;

  /** @param users absent: nothing is asked */
  constructor(users: readonly StoreUser[] | undefined) {
    this.users = users && new Map(users.map(({ name, password, admin }) => [name, { password: digest(password), admin: admin !== false }]));
  }

  /** @throws Unauthenticated for credentials that are wrong or unreadable */
  caller(headers: Metadata): Caller {
    if (!this.users) return 'anybody';
    const [header] = headers.get('authorization');
    if (header === undefined) return 'nobody';
    const [, encoded] = BASIC.exec(String(header)) ?? [];
    const [, name, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
    const user = name === undefined ? undefined : this.users.get(name);
    // Both are digests of one length, so that the comparison tells nothing by the time it takes.
    if (!user || !timingSafeEqual(digest(password ?? ''), user.password)) throw new Unauthenticated();
    return user.admin ? 'admin' : 'user';
  }
}

/** Metadata of a stream is its own stream, `$$name`, and as open as the stream. */
function isSystemStream(stream: string): boolean {
  return (stream.startsWith('$$') ? stream.slice(2) : stream).startsWith('$');
}

/** EventStoreDB's defaults: users have the streams, administrators `$all` and the system's streams too. @throws AccessDenied */
export function admit(caller: Caller, place: Place): void {
  if (caller === 'anybody' || caller === 'admin') return;
  if (caller === 'nobody' || 'all' in place || isSystemStream(place.stream)) throw new AccessDenied();
}
