// One recorded answer of the validation rules against ours. What the comparison lets pass is in left-open.ts here, and in that of the API
// sessions, whose comparison this is.
import type { Received } from '../../api-under-test.fixture';
import { Bindings } from '../api/compare/bindings';
import { report, type CompareContext } from '../api/compare/context';
import { show } from '../api/compare/match';
import { parse } from '../api/compare/response';
import { compareValue } from '../api/compare/values';
import type { Difference } from '../play-result';
import { comparableText, inOurRange, partsOf, withoutPrefix } from './left-open';
import type { Case } from './recording';

type Status = { kind: 'Status'; message?: string; details?: { causes?: { message?: string }[] } };

const isStatus = (value: unknown): value is Status => (value as Status | null)?.kind === 'Status';

/** @param base identity of the stored object that an update is about */
export function differencesOf(
  { status, answer, warnings = [], unordered = false }: Case,
  received: Received,
  startedAt: number,
  base?: { uid: string; resourceVersion: string },
): Difference[] {
  const context: CompareContext = {
    header: { session: 'validation', title: '', area: 'validation', server: '', runs: 'apiserver' },
    differences: [],
    bindings: new Bindings(),
    startedAt,
    now: () => Date.now(),
  };
  if (base) {
    context.bindings.same('uid', '1', base.uid);
    context.bindings.version(1, BigInt(base.resourceVersion));
  }
  if (received.status !== status) report(context, 'status', `expected ${status}, got ${received.status}: ${messageOf(received.body)}`);
  else {
    const body = parse(withoutPrefix(received.body));
    const wanted = parse(inOurRange(JSON.stringify(answer)));
    if (isStatus(wanted) && isStatus(body)) compareStatuses(context, wanted, body, unordered);
    else compareValue(context, wanted, body, 'body');
  }
  compareWarnings(context, warnings, received.warnings ?? []);
  return context.differences;
}

function messageOf(body: string): string {
  return show((parse(body) as { message?: string } | undefined)?.message ?? '');
}

/** Texts as far as they have to agree; where the parts of a message come in any order, as sets. Causes have no order. */
function compareStatuses(context: CompareContext, expected: Status, actual: Status, unordered: boolean): void {
  const recordedCauses = expected.details?.causes ?? [];
  const likeCause = (message: string): string => recordedCauses.find((cause) => begins(message, cause.message ?? ''))?.message ?? message;
  compareValue(context, comparable(expected, unordered), comparable(actual, unordered, expected.message, likeCause), 'body');
}

const begins = (text: string, recorded: string): boolean => text.startsWith(comparableText(recorded));

function comparable(
  status: Status,
  unordered: boolean,
  recorded = status.message,
  likeCause = (message: string): string => message,
): unknown {
  const { message = '', details, ...rest } = status;
  const cut = comparableText(message, recorded ?? '');
  const causes = details?.causes?.map((cause) => ({
    ...cause,
    message: comparableText(cause.message ?? '', likeCause(cause.message ?? '')),
  }));
  return {
    ...rest,
    message: unordered ? partsOf(cut).toSorted().join(', ') : cut,
    ...(details ? { details: { ...details, ...(causes ? { causes } : {}) } } : {}),
  };
}

function compareWarnings(context: CompareContext, expected: readonly string[], actual: readonly string[]): void {
  for (const text of expected) if (!actual.includes(text)) report(context, 'warnings', `missing, expected ${show(text)}`);
  for (const text of actual) if (!expected.includes(text)) report(context, 'warnings', `unexpected, got ${show(text)}`);
}
