// Cases sorted by the kind that they are about, and played many at a time.
import { releaseKinds } from '#libs/kube-api';
import type { SessionResult, StepResult } from '../play-result';

/** Requests under way at a time: every case is a dry run, so none disturbs another. */
const atOnce = 24;

/** Whether something is about one of these kinds (`v1 Pod`, or `Pod` for short); about any where none is named. */
export const namesKind =
  (names: readonly string[]) =>
  ({ kind }: { kind: string }): boolean =>
    names.length === 0 || names.includes(kind) || names.includes(kind.split(' ')[1] ?? '');

export function isServed(kind: string): boolean {
  const [apiVersion = '', name = ''] = kind.split(' ');
  return releaseKinds.findKind(apiVersion, name)?.served ?? false;
}

/** One result a kind; kinds that are not served are skipped, with the reason. */
export async function played<C extends { kind: string }>(
  cases: readonly C[],
  nameOf: (kind: string) => string,
  play: (example: C) => Promise<StepResult>,
): Promise<SessionResult[]> {
  const byKind = new Map<string, C[]>();
  for (const example of cases) byKind.set(example.kind, [...(byKind.get(example.kind) ?? []), example]);
  const results: SessionResult[] = [];
  for (const [kind, examples] of [...byKind].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const session = nameOf(kind);
    const began = Date.now();
    const skipped = isServed(kind) ? undefined : 'the kind is not served';
    const steps = skipped === undefined ? await allOf(examples, play) : [];
    results.push({ session, total: examples.length, steps, skipped, seconds: (Date.now() - began) / 1_000 });
  }
  return results;
}

/** Results in the order of the examples. */
export async function allOf<E, R>(examples: readonly E[], play: (example: E) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < examples.length; at += atOnce) results.push(...(await Promise.all(examples.slice(at, at + atOnce).map(play))));
  return results;
}
