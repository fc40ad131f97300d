// Plays random roles and bindings, and what they let whom do: reviews.jsonl and aggregated.jsonl.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Difference, SessionResult } from '../play-result';
import { Bindings } from '../api/compare/bindings';
import type { CompareContext } from '../api/compare/context';
import { describe } from '../api/compare/match';
import { parse } from '../api/compare/response';
import { agrees, compareUnordered, compareValue } from '../api/compare/values';
import type { Client } from '../api/play/client';
import type { RecordedReviews } from './recording';

type Json = Record<string, unknown>;

const resources: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
};
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const authorization = '/apis/authorization.k8s.io/v1';
/** Milliseconds in which an aggregated role gets its rules. */
const aggregationWithin = 3_000;

export async function playReviews(line: RecordedReviews, client: Client): Promise<SessionResult> {
  const began = Date.now();
  const context = (differences: Difference[]): CompareContext => ({
    bindings: new Bindings(),
    startedAt: began,
    now: () => Date.now(),
    header: { session: line.id, title: '', area: 'rbac', server: '', runs: '' },
    differences,
  });
  const result: SessionResult = { session: line.id, total: line.checks.length + line.rules.length, steps: [], seconds: 0 };
  const made: Difference[] = [];
  for (const object of line.objects) made.push(...(await make(object, client)));
  if (line.aggregated !== undefined) {
    result.total += 1;
    result.steps.push({ step: 'aggregated', differences: [...made, ...(await compareAggregated(line, client, context([])))] });
  }
  for (const [index, { spec, status }] of line.checks.entries()) {
    const differences = index === 0 && line.aggregated === undefined ? made : [];
    const body = { kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec };
    const answer = await post(client, `${authorization}/subjectaccessreviews`, body);
    compareValue(context(differences), status, answer.body['status'], 'status');
    const kept = differences.filter(({ path }) => !(line.varies ?? []).includes(`checks[${index}].${path}`));
    result.steps.push({ step: `check ${index}`, differences: kept });
  }
  for (const [index, rules] of line.rules.entries()) {
    const differences: Difference[] = [];
    await compareRules(rules, client, context(differences));
    result.steps.push({ step: `rules ${index}`, differences });
  }
  result.seconds = (Date.now() - began) / 1000;
  return result;
}

async function post(client: Client, path: string, body: unknown, headers?: Record<string, string | string[]>) {
  const answer = await client.send({ method: 'POST', path, body, ...(headers ? { headers } : {}) });
  return { status: answer.status, body: (parse(answer.body.toString()) ?? {}) as Json };
}

async function make(object: RecordedReviews['objects'][number], client: Client): Promise<Difference[]> {
  const { namespace, name } = object.metadata;
  const root = object.kind === 'Namespace' ? '/api/v1' : rbac;
  const path = `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${resources[object.kind]}`;
  const { status, body } = await post(client, path, object);
  return status === 201 ? [] : [{ path: `objects.${name}`, text: `answered ${status}: ${JSON.stringify(body)}` }];
}

async function compareAggregated(line: RecordedReviews, client: Client, context: CompareContext): Promise<Difference[]> {
  const role = line.objects.find((object) => 'aggregationRule' in object);
  const deadline = Date.now() + aggregationWithin;
  for (;;) {
    const answer = await client.send({ method: 'GET', path: `${rbac}/clusterroles/${role?.metadata.name}` });
    const { rules } = (parse(answer.body.toString()) ?? {}) as Json;
    if (agrees(context, line.aggregated, rules, 'aggregated')) return [];
    if (Date.now() > deadline) {
      compareValue(context, line.aggregated, rules, 'aggregated');
      return context.differences;
    }
    await sleep(20);
  }
}

/** The rules of a user as sets; of one who may not even ask, the refusal. */
async function compareRules(rules: RecordedReviews['rules'][number], client: Client, context: CompareContext): Promise<void> {
  const headers = { 'Impersonate-User': rules.user, 'Impersonate-Group': rules.groups };
  const review = { kind: 'SelfSubjectRulesReview', apiVersion: 'authorization.k8s.io/v1', spec: { namespace: rules.namespace } };
  const answer = await post(client, `${authorization}/selfsubjectrulesreviews`, review, headers);
  if (Array.isArray(rules.status)) {
    const [status, message] = rules.status as [number, string];
    if (answer.status !== status) context.differences.push({ path: 'status', text: describe(status, answer.status) });
    return compareValue(context, message, answer.body['message'], 'message');
  }
  if (answer.status !== 201) {
    context.differences.push({ path: 'status', text: `answered ${answer.status}: ${String(answer.body['message'])}` });
    return;
  }
  const { resourceRules, nonResourceRules, ...rest } = rules.status as Json;
  const ours = (answer.body['status'] ?? {}) as Json;
  compareUnordered(context, resourceRules as unknown[], (ours['resourceRules'] as unknown[]) ?? [], 'resourceRules');
  compareUnordered(context, nonResourceRules as unknown[], (ours['nonResourceRules'] as unknown[]) ?? [], 'nonResourceRules');
  const { resourceRules: _, nonResourceRules: __, ...others } = ours;
  compareValue(context, rest, others, '');
}
