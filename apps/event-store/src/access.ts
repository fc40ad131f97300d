import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http2';
import type { StreamAcl } from '#libs/event-log';

/** Somebody who may use a server with TLS, over `Authorization: Basic`. */
export interface StoreUser {
  name: string;
  password: string;
  /** Administrators may also read `$all` and use `$…` streams; default: yes. */
  admin?: boolean;
  /** What access lists may name besides the user, `$ops` for instance. */
  groups?: readonly string[];
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
export type Caller = 'anybody' | 'nobody' | { roles: readonly string[]; admin: boolean };

export type Action = 'read' | 'write' | 'delete';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const BASIC = /^basic +(.*)$/i;

const ACL_KEYS = { read: '$r', write: '$w', delete: '$d' } as const;
/** Metadata of a stream are its own stream, `$$name`. */
const METADATA_KEYS = { read: '$mr', write: '$mw', delete: '$mw' } as const;

/** Tells callers apart by their credentials, and what they may do. */
export class Gate {
  private readonly users: Map<string, { roles: readonly string[]; password: Buffer; admin: boolean }> | undefined;

  /**
   * @param users absent: nothing is asked
   * @param aclOf what a stream's metadata say
   */
  constructor(
    users: readonly StoreUser[] | undefined,
    private readonly aclOf: (stream: string) => StreamAcl | undefined,
  ) {
    this.users =
      users &&
      new Map(
        users.map(({ name, password, admin, groups = [] }) => [
          name,
          { roles: ['$all', name, ...groups], password: digest(password), admin: admin !== false },
        ]),
      );
  }

  /** @throws Unauthenticated for credentials that are wrong or unreadable */
  caller({ authorization: header }: IncomingHttpHeaders): Caller {
    if (!this.users) return 'anybody';
    if (header === undefined) return 'nobody';
    const [, encoded] = BASIC.exec(header) ?? [];
    const [, name, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
    const user = name === undefined ? undefined : this.users.get(name);
    // Both are digests of one length, so that the comparison tells nothing by the time it takes.
    if (!user || !timingSafeEqual(digest(password ?? ''), user.password)) throw new Unauthenticated();
    return user;
  }

  /**
   * EventStoreDB's rules: administrators may everything; other users what a stream's `$acl` says, and where it says nothing
   * everything but `$all` and `$…` streams. @param stream undefined: `$all`. @throws AccessDenied
   */
  admit(caller: Caller, action: Action, stream: string | undefined): void {
    if (caller === 'anybody' || (caller !== 'nobody' && caller.admin)) return;
    if (caller === 'nobody' || stream === undefined) throw new AccessDenied();
    const described = stream.startsWith('$$') ? stream.slice(2) : undefined;
    const roles = this.aclOf(described ?? stream)?.[described === undefined ? ACL_KEYS[action] : METADATA_KEYS[action]];
    const allowed = roles ? roles.some((role) => caller.roles.includes(role)) : !(described ?? stream).startsWith('$');
    if (!allowed) throw new AccessDenied();
  }
}
