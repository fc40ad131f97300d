// What was read of one resource: tables, partial metadata, columns, field selectors.
import { Bindings } from '../api/compare/bindings';
import type { CompareContext } from '../api/compare/context';
import { report } from '../api/compare/context';
import { show } from '../api/compare/match';
import { parse } from '../api/compare/response';
import { compareValue } from '../api/compare/values';
import type { StepResult } from '../play-result';
import { isMadeInAnyOrder, cutDown, withAnyListVersion, withoutDescriptions } from './left-open';
import type { ResourceTables, Step } from './recording';
import { messageOf, target, type Prepared } from './server';

const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** A step each request, one for the columns with all they say, and one each field selector. */
export const stepsOfTables = ({ steps, columns, fieldSelectors = [] }: ResourceTables): number =>
  steps.length + (columns ? 1 : 0) + fieldSelectors.length;

export async function playTables(line: ResourceTables, server: Prepared): Promise<StepResult[]> {
  const context = contextOf(line.id, server.startedAt);
  const results: StepResult[] = [];
  for (const [index, step] of line.steps.entries()) {
    const own = { ...context, differences: [] };
    await playStep(own, line, step, server);
    const differences = own.differences.filter(({ path }) => !varies(line, `steps[${index}].response.${path}`));
    results.push({ step: step.step, differences });
  }
  if (line.columns) results.push(await playColumns(contextOf(line.id, server.startedAt), line, server));
  for (const selector of line.fieldSelectors ?? []) results.push(await playSelector(line.path, selector, server));
  return results;
}

export function contextOf(session: string, startedAt: number): CompareContext {
  return {
    header: { session, title: '', area: 'tables', server: '', runs: 'apiserver' },
    differences: [],
    bindings: new Bindings(() => isMadeInAnyOrder(session)),
    startedAt,
    now: () => Date.now(),
  };
}

/** Paths that were not the same at the second play of the recording. */
const varies = ({ varies: paths = [] }: ResourceTables, path: string): boolean => paths.some((known) => path.startsWith(known));

async function playStep(context: CompareContext, { path }: ResourceTables, { request, response }: Step, server: Prepared): Promise<void> {
  const headers = request.headers ?? {};
  const { status, body } = await server.api.send({ method: request.method, path: target(request.path, request.query), headers });
  if (status !== response.status) return report(context, 'status', `expected ${response.status}, got ${status}: ${show(messageOf(body))}`);
  const ofCollection = request.path === path;
  const ours = withoutDescriptions(parse(body));
  const wanted = withAnyListVersion(response.body, ofCollection);
  compareValue(context, wanted, ofCollection ? cutDown(ours, server.created(path)) : ours, 'body');
}

async function playColumns(context: CompareContext, { path, columns }: ResourceTables, { api }: Prepared): Promise<StepResult> {
  const { status, body } = await api.send({ method: 'GET', path: target(path, { limit: 1 }), headers: asTable });
  const shown = (parse(body) as { columnDefinitions?: unknown } | undefined)?.columnDefinitions;
  if (status === 200) compareValue(context, columns, shown, 'columns');
  else report(context, 'status', `expected 200, got ${status}: ${show(messageOf(body))}`);
  return { step: 'columns', differences: context.differences };
}

async function playSelector(
  path: string,
  { fieldSelector, status, message, reason }: NonNullable<ResourceTables['fieldSelectors']>[number],
  { api, startedAt }: Prepared,
): Promise<StepResult> {
  const context = contextOf('', startedAt);
  const received = await api.send({ method: 'GET', path: target(path, { fieldSelector }) });
  if (received.status !== status)
    report(context, 'status', `expected ${status}, got ${received.status}: ${show(messageOf(received.body))}`);
  else if (status !== 200) {
    const body = parse(received.body) as { message?: string; reason?: string } | undefined;
    compareValue(context, { message, reason }, { message: body?.message, reason: body?.reason }, '');
  }
  return { step: `fieldSelector ${fieldSelector}`, differences: context.differences };
}
