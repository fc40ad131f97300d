// Plays one case of set-up and steps against one server.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Difference, SessionResult } from '../play-result';
import { Bindings } from '../api/compare/bindings';
import { compareBody } from '../api/compare/values';
import type { CompareContext } from '../api/compare/context';
import { compareResponse, parse } from '../api/compare/response';
import { show } from '../api/compare/match';
import type { Answer, Client } from '../api/play/client';
import { Recall } from '../api/play/recall';
import { fillRequest, type SubstituteContext } from '../api/play/substitute';
import type { Header, RecordedRequest } from '../api/recording';
import type { CaseRequest, CaseStep, RecordedCase } from './recording';
import { Credentials } from './credentials';
import { tokenIn } from './tokens';

/** What a file's cases need beyond sending and comparing. */
export interface CaseRules {
  runs: string;
  /** Milliseconds for which a read that differs is repeated: what a controller writes is not there at once. */
  patience?: number;
  /** What of an answer was kept, made of ours as it was made of theirs. */
  kept?: (step: CaseStep, answer: Answer, body: unknown) => unknown;
  /** Before the first step, once the set-up is there: waits for what the recording had. */
  begin?: (line: RecordedCase, client: Client) => Promise<void>;
  /** After a step: waits for what the recording waited for. */
  settle?: (step: CaseStep, client: Client) => Promise<void>;
}

const pollEvery = 50;

export async function playCase(line: RecordedCase, client: Client, rules: CaseRules): Promise<SessionResult> {
  const began = Date.now();
  const result: SessionResult = { session: line.id, total: line.steps.length, steps: [], seconds: 0 };
  const match = { bindings: new Bindings(), startedAt: began, now: () => Date.now() };
  const header: Header = { session: line.id, title: line.about ?? '', area: 'rbac', server: '', runs: rules.runs };
  const substitute: SubstituteContext = { ...match, recall: new Recall(), given: new Map(), inventUid: () => randomUUID() };
  const credentials = new Credentials(line, client);
  const wrong = await setUp(line, client);
  await rules.begin?.(line, client);
  for (const [index, step] of line.steps.entries()) {
    const differences: Difference[] = index === 0 ? wrong : [];
    try {
      await playStep(
        step,
        { ...match, header, differences },
        { client, rules, substitute, credentials, token: index === 0 ? line.token : undefined },
      );
    } catch (error) {
      differences.push({ path: 'request', text: (error as Error).message });
    }
    result.steps.push({ step: step.step, differences: differences.filter(({ path }) => !varies(line, index, path)) });
  }
  result.seconds = (Date.now() - began) / 1000;
  return result;
}

interface StepTools {
  client: Client;
  rules: CaseRules;
  substitute: SubstituteContext;
  credentials: Credentials;
  /** What the token says that the step gives. */
  token: unknown;
}

async function playStep(
  step: CaseStep,
  context: CompareContext,
  { client, rules, substitute, credentials, token }: StepTools,
): Promise<void> {
  const recorded = await credentials.of(step.request, sentAs(step.request));
  const request = fillRequest(substitute, recorded);
  const deadline = Date.now() + (step.request.method === 'GET' ? (rules.patience ?? 0) : 0);
  const before = context.differences.length;
  for (;;) {
    const mark = context.bindings.mark();
    const answer = await client.send(request);
    const body = compareStep(step, context, answer, recorded, rules);
    if (context.differences.length === before || Date.now() >= deadline) {
      substitute.recall.learn(step.response.body, body);
      credentials.learn(body);
      if (token !== undefined) compareBody(context, token, tokenIn(body), 'token', false);
      break;
    }
    context.bindings.rollback(mark);
    context.differences.length = before;
    await sleep(pollEvery);
  }
  await rules.settle?.(step, client);
}

function compareStep(
  step: CaseStep,
  context: CompareContext,
  answer: Answer,
  request: RecordedRequest,
  { kept = keptOf }: CaseRules,
): unknown {
  const { response } = step;
  const text = answer.body.toString('utf8');
  // Where a recording kept neither body nor text, none is compared.
  const asked = response.body === undefined && response.text === undefined ? { ...response, text } : response;
  if (response.body === undefined || answer.status !== response.status || typeof asked.text === 'string')
    return compareResponse(context, request, asked, answer, '');
  compareResponse(context, request, { ...response, body: undefined, text }, answer, '');
  const body = parse(text);
  compareBody(context, response.body, kept(step, answer, body), 'body', false);
  return body;
}

/** Of most successes the kind alone was kept. */
export function keptOf({ response }: CaseStep, { status }: Answer, body: unknown): unknown {
  const keys = Object.keys(response.body as object);
  return status < 300 && keys.join() === 'kind' ? { kind: (body as { kind?: unknown } | undefined)?.kind } : body;
}

/** Names the first thing that was refused. */
async function setUp({ setup = [] }: RecordedCase, client: Client): Promise<Difference[]> {
  for (const request of setup) {
    const { status, body } = await client.send(sentAs(request));
    if (status >= 400) return [{ path: 'setup', text: `${request.method} ${request.path} answered ${status}: ${show(body.toString())}` }];
  }
  return [];
}

function sentAs({ method, path, query, headers, body }: CaseRequest): RecordedRequest {
  const pairs = Object.entries(query ?? {}).map(([name, value]) => `${name}=${value}`);
  return {
    method,
    path,
    ...(pairs.length === 0 ? {} : { query: pairs.join('&') }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  };
}

function varies({ varies: paths = [] }: RecordedCase, index: number, path: string): boolean {
  const full = `steps[${index}].response.${path}`;
  return paths.some((one) => full.startsWith(one.replace(/#$/, '')));
}
