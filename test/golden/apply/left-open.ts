// What the comparison of recorded applies lets pass, beside what that of the API sessions does. Source: "Comparing" in the README of the
// recordings.

type Status = { kind: 'Status'; message?: string };

const isStatus = (value: unknown): value is Status => (value as Status | null)?.kind === 'Status';

/** Several schema errors come in any order, and not all of them always: only that there are some is compared. */
const severalErrors = /^(failed to create typed patch object .*?: errors:)\n.*/s;

export function comparable(recorded: unknown, ours: unknown): [recorded: unknown, ours: unknown] {
  if (!isStatus(recorded) || !isStatus(ours) || !severalErrors.test(recorded.message ?? '')) return [recorded, ours];
  const cut = (status: Status): Status => ({ ...status, message: status.message?.replace(severalErrors, '$1') });
  return [cut(recorded), cut(ours)];
}
