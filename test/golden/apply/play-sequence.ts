// One sequence against a server: each request as it was sent, with our values for the placeholders, and our answer held against the recorded one.
import { randomUUID } from 'node:crypto';
import type { ApiUnderTest, Received } from '../../api-under-test.fixture';
import { Bindings } from '../api/compare/bindings';
import { report, type CompareContext } from '../api/compare/context';
import { show } from '../api/compare/match';
import { parse } from '../api/compare/response';
import { compareValue } from '../api/compare/values';
import { Recall } from '../api/play/recall';
import { fillText, fillValue, UnknownPlaceholder, type SubstituteContext } from '../api/play/substitute';
import type { StepResult } from '../play-result';
import { inOurRange } from '../validation/left-open';
import type { MovingClock } from './moving-clock';
import { comparable } from './left-open';
import type { Sequence, Step } from './recording';

/** Cluster time between two steps: more than the second that owners are told apart by. */
const betweenMs = 1_500;

export async function playSequence(api: ApiUnderTest, clock: MovingClock, { case: name, steps }: Sequence): Promise<StepResult[]> {
  const startedAt = clock.now();
  const bindings = new Bindings();
  const recall = new Recall();
  const now = (): number => clock.now();
  const substitute: SubstituteContext = { bindings, recall, startedAt, now, given: new Map(), inventUid: randomUUID };
  const results: StepResult[] = [];
  for (const step of steps) {
    clock.move(betweenMs);
    const context: CompareContext = {
      header: { session: 'server-side-apply', title: name, area: 'apply', server: '', runs: 'apiserver' },
      differences: [],
      bindings,
      startedAt,
      now,
    };
    try {
      const received = await send(api, step, substitute);
      compareAnswer(context, step, received);
      recall.learn(step.answer, parse(received.body));
    } catch (error) {
      if (!(error instanceof UnknownPlaceholder)) throw error;
      report(context, 'request', error.message);
    }
    results.push({ step: `${name}/${step.step}`, differences: context.differences });
  }
  return results;
}

function send(api: ApiUnderTest, { request }: Step, substitute: SubstituteContext): Promise<Received> {
  const { method, path, query, contentType = 'application/json', body } = request;
  const target = `${fillText(substitute, path)}${query === undefined ? '' : `?${encodedQuery(query)}`}`;
  const headers = {
    'user-agent': 'golden/1.0',
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': contentType }),
  };
  const text = body === undefined ? undefined : inOurRange(JSON.stringify(fillValue(substitute, body)));
  return api.send({ method, path: target, headers, body: text });
}

/** Recorded decoded. */
function encodedQuery(query: string): string {
  return query
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=');
      return at < 0 ? encodeURIComponent(pair) : `${encodeURIComponent(pair.slice(0, at))}=${encodeURIComponent(pair.slice(at + 1))}`;
    })
    .join('&');
}

function compareAnswer(context: CompareContext, step: Step, received: Received): void {
  const { status, warnings = [], answer } = step;
  const body = parse(received.body);
  if (received.status !== status) {
    const message = (body as { message?: string } | undefined)?.message ?? '';
    report(context, 'status', `expected ${status}, got ${received.status}: ${show(message)}`);
    return;
  }
  const [wanted, got] = comparable(parse(inOurRange(JSON.stringify(answer))), body);
  compareValue(context, wanted, got, 'body');
  const ours = received.warnings ?? [];
  for (const text of warnings) if (!ours.includes(text)) report(context, 'warnings', `missing, expected ${show(text)}`);
  for (const text of ours) if (!warnings.includes(text)) report(context, 'warnings', `unexpected, got ${show(text)}`);
}
