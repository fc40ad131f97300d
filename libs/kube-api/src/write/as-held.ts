import type { KubeObject } from '#libs/kernel';
import type { Prepared } from './request';

/*
 * Go knows an empty list from none while it validates, and forgets the difference when it writes. Here objects are kept as they are written, so
 * what was sent with such a list is looked at once more as Go holds it: only for what is wrong with it.
 */

/** What validation says of the object as Go holds it; undefined where it says nothing. */
export function refusedAsHeld<R extends { object: KubeObject; exact?: KubeObject }>(
  request: R,
  prepare: (request: R) => Prepared,
): Prepared | undefined {
  const { exact, ...plain } = request;
  const prepared = prepare({ ...plain, object: exact } as unknown as R);
  return prepared.kind === 'refused' && prepared.status.reason === 'Invalid' ? prepared : undefined;
}

export function withoutExact<R extends { exact?: KubeObject }>({ exact: _, ...request }: R): R {
  return request as unknown as R;
}
