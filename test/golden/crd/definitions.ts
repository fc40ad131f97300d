// accept.jsonl: definitions created, perhaps updated, and what the server's own controllers make of them.
import type { ApiUnderTest, Received } from '../../api-under-test.fixture';
import { Bindings } from '../api/compare/bindings';
import { report, type CompareContext } from '../api/compare/context';
import { parse } from '../api/compare/response';
import { compareValue } from '../api/compare/values';
import type { Difference, StepResult } from '../play-result';

interface Cause {
  reason: string;
  field: string | null;
  message: string;
}
type Json = Record<string, unknown>;
interface RecordedStep {
  step: number;
  /** `settled`: read when the server's controllers had finished; `answer not kept`: only that it was done. */
  note?: string;
  request: { method: string; path: string; headers?: Record<string, string>; body?: Json };
  response: { status: number; headers?: { Warning?: string | string[] }; body?: Json };
}
/** A line of accept.jsonl. */
export interface RecordedDefinition {
  id: string;
  about: string;
  steps: RecordedStep[];
  varies?: readonly string[];
}

/**
 * The real server writes an object anew for a change that nothing shows (an empty list where there was none) when it comes in another second
 * than the write before: only the time in its managedFields is then another one. Here the two come within a second.
 */
const writtenAnewLater = new Set(['accept-0786/3', 'accept-0786/4']);

const settledMs = 5_000;
const pollMs = 5;
/** Of a deletion nothing is known but that it was done. */
const deletionMs = 5_000;

export async function playDefinition(api: ApiUnderTest, { id, steps, varies = [] }: RecordedDefinition): Promise<StepResult[]> {
  const bindings = new Bindings();
  const results: StepResult[] = [];
  for (const [index, step] of steps.entries()) {
    const isOpen = varies.some((path) => path.startsWith(`steps[${index}]`));
    const name = `${id}/${step.step}`;
    const differences = await playStep(api, step, bindings, isOpen);
    const isVersionOnly = differences.every(({ path }) => path === 'body.metadata.resourceVersion');
    results.push({ step: name, differences: writtenAnewLater.has(name) && isVersionOnly ? [] : differences });
  }
  return results;
}

async function playStep(api: ApiUnderTest, step: RecordedStep, bindings: Bindings, isOpen: boolean): Promise<Difference[]> {
  const { method, path, headers = {}, body } = step.request;
  const startedAt = Date.now();
  if (step.note === 'settled') return settled(api, step, bindings, startedAt);
  const sent = body && (await withCurrentVersion(api, path, body));
  const received = await api.send({
    method,
    path,
    headers: { 'content-type': 'application/json', ...headers },
    ...(sent ? { body: JSON.stringify(sent) } : {}),
  });
  if (step.note === 'answer not kept') {
    await gone(api, path);
    return statusDifference(step, received);
  }
  return differencesOf(step, received, bindings, startedAt, isOpen);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Until it agrees, or nothing more is to be expected. */
async function settled(api: ApiUnderTest, step: RecordedStep, bindings: Bindings, startedAt: number): Promise<Difference[]> {
  for (;;) {
    const received = await api.send({ method: 'GET', path: step.request.path });
    const mark = bindings.mark();
    const differences = differencesOf(step, received, bindings, startedAt, false);
    if (differences.length === 0 || Date.now() - startedAt > settledMs) return differences;
    bindings.rollback(mark);
    await pause(pollMs);
  }
}

async function gone(api: ApiUnderTest, path: string): Promise<void> {
  const startedAt = Date.now();
  while (Date.now() - startedAt < deletionMs) {
    if ((await api.send({ method: 'GET', path })).status === 404) return;
    await pause(pollMs);
  }
}

/** A PUT carries the version that was read just before. */
async function withCurrentVersion(api: ApiUnderTest, path: string, body: Json): Promise<Json> {
  const metadata = (body['metadata'] ?? {}) as { resourceVersion?: string };
  if (!metadata.resourceVersion?.startsWith('<rv')) return body;
  const { body: text } = await api.send({ method: 'GET', path });
  const { resourceVersion } = (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata;
  return { ...body, metadata: { ...metadata, resourceVersion } };
}

function statusDifference({ response }: RecordedStep, { status, body }: Received): Difference[] {
  if (status === response.status) return [];
  const { message } = parse(body) as { message?: string };
  return [{ path: 'status', text: `expected ${response.status}, got ${status}: ${message ?? ''}` }];
}

function differencesOf(step: RecordedStep, received: Received, bindings: Bindings, startedAt: number, isOpen: boolean): Difference[] {
  const context: CompareContext = {
    header: { session: 'crd', title: '', area: 'crd', server: '', runs: 'apiserver' },
    differences: [],
    bindings,
    startedAt,
    now: () => Date.now(),
  };
  context.differences.push(...statusDifference(step, received));
  if (context.differences.length > 0) return context.differences;
  const wanted = step.response.body;
  const actual = parse(received.body) as Json;
  if (wanted?.['kind'] === 'Status') compareRefusals(context, wanted, actual, isOpen);
  else if (wanted) compareValue(context, wanted, step.note === 'settled' ? settledPart(actual) : withoutOwners(actual), 'body');
  compareWarnings(context, step, received);
  return context.differences;
}

function withoutOwners(object: Json): Json {
  const { managedFields: _, ...metadata } = object['metadata'] as Json;
  return { ...object, metadata };
}

/** What is kept of a definition that was read when all was settled. */
function settledPart({ metadata, status }: Json): Json {
  const { name, resourceVersion, generation } = metadata as Json;
  const { conditions, ...rest } = status as { conditions: { type: string }[] | null };
  const sorted = conditions && [...conditions].sort((a, b) => (a.type < b.type ? -1 : 1));
  return { metadata: { name, resourceVersion, generation }, status: { conditions: sorted, ...rest } };
}

const numberedType = /selfType\d+/g;
const causeText = ({ reason, field, message }: Cause): string => `${reason} ${field} ${message.replaceAll(numberedType, 'selfType')}`;

/** Causes have no order, and what the message joins neither. */
function compareRefusals(context: CompareContext, wanted: Json, actual: Json, isOpen: boolean): void {
  const causesOf = (status: Json): string[] => {
    const { causes = [] } = (status['details'] ?? {}) as { causes?: Cause[] };
    return causes.map(causeText).sort();
  };
  const partsOf = ({ message }: Json): string => {
    const text = String(message).replaceAll(numberedType, 'selfType');
    const [, head = '', list] = /^(.*? is invalid: )\[(.*)\]$/s.exec(text) ?? [];
    return list === undefined ? text : `${head}${[...new Set(list.split(/, (?=[a-z])/))].sort().join(', ')}`;
  };
  for (const field of ['reason', 'code']) {
    if (wanted[field] !== actual[field]) report(context, field, `expected ${String(wanted[field])}, got ${String(actual[field])}`);
  }
  const theirs = causesOf(wanted);
  const ours = causesOf(actual);
  if (isOpen) {
    if (theirs.length !== ours.length) report(context, 'causes', `expected ${theirs.length}, got ${ours.length}`);
    return;
  }
  for (const cause of theirs) if (!ours.includes(cause)) report(context, 'causes', `missing ${cause}`);
  for (const cause of ours) if (!theirs.includes(cause)) report(context, 'causes', `unexpected ${cause}`);
  if (theirs.length !== ours.length) report(context, 'causes', `expected ${theirs.length}, got ${ours.length}`);
  if (partsOf(wanted) !== partsOf(actual)) report(context, 'message', `expected ${partsOf(wanted)}, got ${partsOf(actual)}`);
}

function compareWarnings(context: CompareContext, { response }: RecordedStep, { warnings = [] }: Received): void {
  const recorded = [response.headers?.Warning ?? []].flat();
  const expected = recorded.map((line) => JSON.parse(/299 - (".*")$/.exec(line)?.[1] as string) as string);
  const difference = `expected ${JSON.stringify(expected)}, got ${JSON.stringify(warnings)}`;
  if (JSON.stringify([...expected].sort()) !== JSON.stringify([...warnings].sort())) report(context, 'warnings', difference);
}
