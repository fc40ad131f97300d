// Selectors, pages, versions and tokens: reads of the twelve config maps.
import { isObject } from '#libs/kernel';
import { report } from '../api/compare/context';
import { show } from '../api/compare/match';
import { parse } from '../api/compare/response';
import { compareValue } from '../api/compare/values';
import type { StepResult } from '../play-result';
import { isComparableVersion, isOfSetup, withoutCurrent } from './left-open';
import type { ListReads, Step, VersionCheck } from './recording';
import { contextOf } from './resource-tables';
import { framesIn, messageOf, namesIn, target, type Prepared } from './server';

export const stepsOfLists = ({ selectors, pages, checks, steps }: ListReads): number =>
  (selectors ?? pages ?? checks ?? steps ?? []).length;

export function playLists(line: ListReads, server: Prepared): Promise<StepResult[]> {
  if (line.selectors) return inTurn(line.selectors, (selector) => playSelector(line, selector, server));
  if (line.pages) return playPages(line, line.pages, server);
  if (line.checks) return playChecks(line, line.checks, server);
  return inTurn(line.steps ?? [], (step) => playStep(line, step, server));
}

/** What was recorded of an answer beside what is said of ours: each field of `expected` has to be there and to agree. */
function compared(line: ListReads, server: Prepared, step: number | string, expected: object, actual: object): StepResult {
  const context = contextOf(line.id, server.startedAt);
  compareValue(context, expected, Object.fromEntries(Object.keys(expected).map((key) => [key, actual[key as keyof typeof actual]])), '');
  return { step, differences: context.differences };
}

async function inTurn<T>(items: readonly T[], play: (item: T) => Promise<StepResult>): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const item of items) results.push(await play(item));
  return results;
}

interface ListAnswer {
  status: number;
  names?: string[];
  message?: string;
  reason?: string;
  frames?: [string, string][];
  continue?: string;
  resourceVersion?: string;
  remainingItemCount?: number;
}

async function read({ api }: Prepared, path: string, query: Parameters<typeof target>[1], isWatch = false): Promise<ListAnswer> {
  const { status, body } = await api.send({ method: 'GET', path: target(path, query) });
  if (status === 200 && isWatch) return { status, frames: framesIn(body).filter(([type, about]) => type === 'ERROR' || isOfSetup(about)) };
  const parsed = (parse(body) ?? {}) as { metadata?: object; message?: string; reason?: string };
  if (status !== 200) return { status, message: messageOf(body), reason: parsed.reason };
  return { status, names: namesIn(parsed).filter(isOfSetup), ...parsed.metadata };
}

async function playSelector(
  line: ListReads,
  { labelSelector, ...expected }: NonNullable<ListReads['selectors']>[number],
  server: Prepared,
): Promise<StepResult> {
  return compared(line, server, `labelSelector ${labelSelector}`, expected, await read(server, line.path, { labelSelector }));
}

async function playPages(line: ListReads, pages: NonNullable<ListReads['pages']>, server: Prepared): Promise<StepResult[]> {
  const results: StepResult[] = [];
  let token: string | undefined;
  for (const [index, expected] of pages.entries()) {
    const { limit, labelSelector } = line;
    const page = await read(server, line.path, { limit, labelSelector, continue: token });
    const actual = { names: page.names, continue: Boolean(page.continue), remainingItemCount: page.remainingItemCount };
    results.push(compared(line, server, `page ${index + 1}`, { remainingItemCount: undefined, ...expected }, actual));
    token = page.continue;
    if (token === undefined) break;
  }
  return results;
}

/** The object whose version a check asks for. */
const namedVersions: Readonly<Record<string, string>> = { first: 'l00', middle: 'l06', last: 'l11' };
const literalVersions: Readonly<Record<string, string>> = {
  empty: '',
  zero: '0',
  future: '999999999',
  text: 'abc',
  negative: '-1',
  one: '1',
};

async function playChecks(line: ListReads, checks: readonly VersionCheck[], server: Prepared): Promise<StepResult[]> {
  const match = line.id.slice('versions-'.length);
  const resourceVersionMatch = match === 'absent' || match === 'none' ? undefined : match === 'empty' ? '' : match;
  const versions = server.versions(line.path);
  const token = (await read(server, line.path, { limit: 3 })).continue;
  const versionOf = (name: string): string | undefined => literalVersions[name] ?? versions.get(namedVersions[name] ?? '');
  // Some wait seconds for their answer, and none changes anything.
  return Promise.all(
    checks.map((check) => {
      const resourceVersion = versionOf(check.resourceVersion);
      const query = check.get
        ? { resourceVersion }
        : { resourceVersion, resourceVersionMatch, limit: check.limit, continue: check.continue && token };
      return playCheck(line, check, check.watch ? { ...query, watch: true, timeoutSeconds: 1 } : query, server);
    }),
  );
}

async function playCheck(
  line: ListReads,
  check: VersionCheck,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
  server: Prepared,
): Promise<StepResult> {
  const { get, resourceVersion, limit, continue: token, watch, version, message, more, ...expected } = check;
  const asked = { get, resourceVersion, limit, continue: token && 'token', watch };
  const step = Object.entries(asked).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${String(value)}`]));
  const answer = await read(server, get === undefined ? line.path : `${line.path}/${get}`, query, watch);
  const wanted = {
    ...expected,
    ...(message === undefined ? {} : { message: withoutCurrent(message) }),
    ...(more === undefined ? {} : { more }),
    ...(isComparableVersion(version) ? { resourceVersion: query['resourceVersion'] } : {}),
  };
  const actual = { ...answer, message: withoutCurrent(answer.message), more: Boolean(answer.continue) };
  return compared(line, server, step.join(' '), wanted, actual);
}

async function playStep(line: ListReads, { step, request, response }: Step, server: Prepared): Promise<StepResult> {
  const isWatch = response.frames !== undefined;
  const answer = await read(server, request.path, request.query, isWatch);
  if (isWatch || answer.status !== 200 || response.status !== 200) {
    const recorded = isObject(response.body) ? { message: response.body['message'], reason: response.body['reason'] } : {};
    const frames = isWatch ? { frames: response.frames } : {};
    const result = compared(line, server, step, { status: response.status, ...recorded, ...frames }, answer);
    if (answer.status !== response.status)
      report({ ...contextOf('', 0), differences: result.differences }, 'message', show(answer.message));
    return result;
  }
  return compared(line, server, step, response.body as object, answer);
}
