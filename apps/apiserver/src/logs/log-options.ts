import { badRequest, forbidden, invalid, invalidValue, type Failure, type FieldError } from '#libs/kube-api';
import type { Query } from '../request-info/query';

/** `PodLogOptions`, read and checked. */
export interface LogOptions {
  container: string;
  follow: boolean;
  previous: boolean;
  timestamps: boolean;
  tailLines: number | undefined;
  limitBytes: number | undefined;
  sinceSeconds: number | undefined;
  /** Ms since the epoch. */
  sinceTime: number | undefined;
}

const integers = ['tailLines', 'limitBytes', 'sinceSeconds'] as const;

export function readLogOptions(pod: string, query: Query): LogOptions | Failure {
  const numbers: Partial<Record<(typeof integers)[number], number>> = {};
  for (const name of integers) {
    const number = query.integer(name);
    if ('error' in number) return badRequest(number.error);
    numbers[name] = number.value;
  }
  const since = query.text('sinceTime');
  const sinceTime = since === '' ? undefined : Date.parse(since);
  if (sinceTime !== undefined && Number.isNaN(sinceTime)) return badRequest(`sinceTime: ${JSON.stringify(since.slice(0, 100))} is no RFC 3339 time`);
  const options: LogOptions = {
    container: query.text('container'),
    follow: query.flag('follow') ?? false,
    previous: query.flag('previous') ?? false,
    timestamps: query.flag('timestamps') ?? false,
    tailLines: numbers.tailLines,
    limitBytes: numbers.limitBytes,
    sinceSeconds: numbers.sinceSeconds,
    sinceTime,
  };
  const errors = logOptionErrors(options, query.text('stream'));
  return errors.length > 0 ? invalid('PodLogOptions', pod, errors) : options;
}

/** Rules of `ValidatePodLogOptions`. */
function logOptionErrors({ tailLines, limitBytes, sinceSeconds, sinceTime }: LogOptions, stream: string): FieldError[] {
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) errors.push(invalidValue('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1) errors.push(invalidValue('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) errors.push(invalidValue('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  if (stream !== '') errors.push(forbidden('stream', 'may not be specified'));
  return errors;
}

