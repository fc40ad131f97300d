// Differences that the recordings' README lets stand: each is told by its name and counted apart from what agrees.
import type { Difference } from '../../play-result';
import type { Message, RecordedStatus, Sequence, Step } from '../recording';
import { methodOf } from '../play/messages';

const UNIMPLEMENTED = 12;
const UNKNOWN = 2;
const INTERNAL = 13;

export const EXCEPTIONS = {
  'not served': 'services that ours does not have, which it answers with UNIMPLEMENTED and does not advertise',
  'refused clearly': 'requests at which the real node breaks down (UNKNOWN, HTTP 500) and ours tells what is wrong',
  'answered politely': 'errors that the real node cannot put into words (HTTP 500: a name that is no header), and ours can',
  'regular expressions': "expressions that only .NET knows, refused as none of JavaScript's",
  'own words': 'the same code with another text, in the areas where only the code is a promise',
} as const;

export type ExceptionName = keyof typeof EXCEPTIONS;

export interface Outcome {
  sequence: Sequence;
  step: Step;
  /** As recorded. */
  status: RecordedStatus | undefined;
  responses: readonly Message[];
  ours: { status: RecordedStatus | undefined; responses: readonly Message[] };
}

function brokeDown({ code, details = '' }: RecordedStatus): boolean {
  return code === UNKNOWN && (details === 'Exception was thrown by handler.' || /HTTP status code 5\d\d/.test(details));
}

/** The method lists differ by what is not served; every one that ours names is the node's too. */
function listsFewerMethods({ responses, ours, differences }: Outcome & { differences: readonly Difference[] }): boolean {
  const methods = (messages: readonly Message[]): Message[] => (messages[0]?.['methods'] as Message[] | undefined) ?? [];
  const key = ({ service_name, method_name, features }: Message): string => JSON.stringify([service_name, method_name, features ?? []]);
  const theirs = new Set(methods(responses).map(key));
  const named = methods(ours.responses);
  return named.length > 0 && differences.length > 0 && named.every((method) => theirs.has(key(method)));
}

/** What persistent subscriptions keep, they keep in streams of their own. */
function readsWhatIsNotServed({ step }: Outcome): boolean {
  return JSON.stringify(step.request ?? {}).includes('"$persistentsubscription-');
}

const CODE_ALONE = new Set(['names', 'protocol']);

/** The name under which a step's differences may stand; undefined: they are differences. */
export function exceptionOf(outcome: Outcome, differences: readonly Difference[]): ExceptionName | undefined {
  const { sequence, step, status, ours } = outcome;
  if (step.call !== undefined && !methodOf(step.call)) return ours.status?.code === UNIMPLEMENTED ? 'not served' : undefined;
  if (step.call === 'ServerFeatures.GetSupportedMethods' && listsFewerMethods({ ...outcome, differences })) return 'not served';
  if (readsWhatIsNotServed(outcome)) return 'not served';
  if (!status || !ours.status) return undefined;
  const refused = ours.status.code !== 0 && ours.status.code !== UNKNOWN && ours.status.code !== INTERNAL;
  if (brokeDown(status) && refused && ours.responses.length === 0) {
    return /HTTP status code/.test(status.details ?? '') ? 'answered politely' : 'refused clearly';
  }
  if (refused && /regular expression/.test(ours.status.details ?? '')) return 'regular expressions';
  const onlyText = differences.every(({ path }) => path.startsWith('status.details') || path.startsWith('status.trailers'));
  if (CODE_ALONE.has(sequence.area) && onlyText) return 'own words';
  return undefined;
}
