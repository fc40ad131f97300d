import type { Story } from '../story';

/** Of an object that never came to be: who wanted it was refused. */
export function refusedStanding({ events }: Story): string[] {
  const refusals = events.filter(({ type }) => type === 'QuotaRefused' || type === 'PodRejected');
  const { message } = (refusals.at(-1)?.data.status ?? {}) as { message?: string };
  const often = refusals.length === 1 ? '' : `, ${refusals.length} times; at last`;
  return [`never there: it was refused${often}: ${message ?? ''}`];
}
