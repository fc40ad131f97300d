import type { User } from '../authentication/user';
import { isLongRunning } from '../request-info/long-running';
import type { RequestInfo } from '../request-info/request-info';
import { textAnswer, type Answer } from './answer';

/** How many requests are answered at once; 0 or absent: any number. */
export interface InFlightMax {
  readOnly?: number;
  mutating?: number;
}

const privilegedGroup = 'system:masters';
const readingVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const free = (): void => undefined;

/**
 * Holds requests to what may be answered at once (upstream's filter `WithMaxInFlightLimit`): those that read and those that write are counted
 * apart, streams are not counted, and an administrator always gets his answer.
 */
export class RequestsInFlight {
  private readonly counts = { readOnly: 0, mutating: 0 };
  private readonly isLimited: boolean;

  constructor(private readonly max: InFlightMax) {
    this.isLimited = Boolean(max.readOnly) || Boolean(max.mutating);
  }

  /** A request begins. @returns what to call when it is answered; undefined: there are too many */
  enter(info: RequestInfo, user: Pick<User, 'groups'>): (() => void) | undefined {
    if (!this.isLimited || isLongRunning(info)) return free;
    const kind = isReading(info) ? 'readOnly' : 'mutating';
    const max = this.max[kind];
    if (!max) return free;
    if (this.counts[kind] >= max) return user.groups.includes(privilegedGroup) ? free : undefined;
    this.counts[kind]++;
    return () => void this.counts[kind]--;
  }
}

/** 429: come back in a second. */
export function tooManyInFlight(): Answer {
  const answer = textAnswer(429, 'Too many requests, please try again later.\n');
  return { ...answer, headers: { ...answer.headers, 'Retry-After': '1' } };
}

function isReading({ resource, method }: RequestInfo): boolean {
  return resource ? readingVerbs.has(resource.verb ?? '') : method === 'GET';
}
