import { badRequest, validateLogOptions, type Failure } from '#libs/kube-api';
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
  const { tailLines, limitBytes, sinceSeconds } = numbers;
  const since = query.text('sinceTime');
  const sinceTime = since === '' ? undefined : Date.parse(since);
  if (sinceTime !== undefined && Number.isNaN(sinceTime))
    return badRequest(`sinceTime: ${JSON.stringify(since.slice(0, 100))} is no RFC 3339 time`);
  const stream = query.text('stream') || undefined;
  const failure = validateLogOptions(pod, { tailLines, limitBytes, sinceSeconds, sinceTime: since || undefined, stream });
  if (failure) return failure;
  return {
    container: query.text('container'),
    follow: query.flag('follow') ?? false,
    previous: query.flag('previous') ?? false,
    timestamps: query.flag('timestamps') ?? false,
    tailLines,
    limitBytes,
    sinceSeconds,
    sinceTime,
  };
}
