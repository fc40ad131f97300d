// Plays instances.jsonl: requests on the objects of one definition a line, all lines on one server.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Answer } from '../api/play/client';
import type { RecordedRequest, RecordedResponse } from '../api/recording';
import type { SessionResult } from '../play-result';
import { playCase, type CaseRules } from '../rbac/play-case';
import { readLines, type CaseRequest, type CaseStep } from '../rbac/recording';
import { withServer } from '../rbac/servers';

interface Definition {
  metadata: { name: string };
  spec: { group: string; names: { plural: string }; versions: { name: string; served: boolean }[] };
}

/** A line of instances.jsonl. */
interface RecordedInstances {
  id: string;
  crd: Definition;
  steps: CaseStep[];
  varies?: string[];
}

const file = 'instances.jsonl';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const rules: CaseRules = { runs: 'apiserver' };

/** Lines whose ids the names begin; all when none is named. One result a line. */
export async function playInstances(dir: string, names: readonly string[], { verifies }: { verifies: boolean }): Promise<SessionResult[]> {
  const lines = readLines<RecordedInstances>(dir, file, names);
  if (lines.length === 0) return [];
  const { result, problem } = await withServer(rules.runs, verifies, async ({ client }) => {
    const results: SessionResult[] = [];
    for (const line of lines) results.push(await playLine(line, client));
    return results;
  });
  if (problem !== undefined) result.at(-1)?.steps.push({ step: 'verify', differences: [{ path: 'log', text: problem }] });
  return result;
}

async function playLine(line: RecordedInstances, client: Client): Promise<SessionResult> {
  const { crd } = line;
  await client.send({ method: 'POST', path: definitions, body: crd });
  await served(crd, client);
  const version = await versionOf(crd, client);
  const steps = line.steps.map((step) => ({ ...step, request: prepared(step.request, version), response: inOrder(step.response) }));
  const result = await playCase({ ...line, steps }, new OrderedAnswers(client.target), rules);
  await client.send({ method: 'DELETE', path: `${definitions}/${crd.metadata.name}` });
  return result;
}

/** Findings come out of maps on the real server, so neither their order nor that of warnings is promised. */
class OrderedAnswers extends Client {
  /** Bodies are sent with the spaces that the recorded ones had: some refusals quote them. */
  override async send(recorded: RecordedRequest): Promise<Answer> {
    const { body, ...request } = recorded;
    const answer = await super.send(body === undefined ? request : { ...request, body: spaced(body) });
    const warnings = answer.headers.get('warning');
    const headers = warnings ? new Map([...answer.headers, ['warning', [...warnings].sort()]]) : answer.headers;
    const text = answer.body.toString('utf8');
    if (answer.status !== 422) return { ...answer, headers };
    return { ...answer, headers, body: Buffer.from(JSON.stringify(withOrderedCauses(JSON.parse(text)))) };
  }
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`)
    .join(', ')}}`;
}

function inOrder(response: RecordedResponse): RecordedResponse {
  const { headers, body, status } = response as RecordedResponse & { headers?: Record<string, string | string[]> };
  const warnings = headers?.['Warning'];
  const ordered = Array.isArray(warnings) ? { ...headers, Warning: [...warnings].sort() } : headers;
  return { ...response, ...(ordered ? { headers: ordered } : {}), ...(status === 422 ? { body: withOrderedCauses(body) } : {}) };
}

interface Refusal {
  message?: string;
  details?: { causes?: { field?: string; message: string }[] };
}

function withOrderedCauses(body: unknown): unknown {
  const { message = '', details } = body as Refusal;
  const causes = [...(details?.causes ?? [])];
  if (causes.length < 2) return body;
  const textOf = ({ field = '', message: text }: (typeof causes)[number]): string => `${field}: ${text}`;
  causes.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  const [head = ''] = message.split(' is invalid: ');
  const left = causes.reduce((rest, cause) => rest.replace(textOf(cause), ''), message.slice(head.length));
  return { ...(body as object), message: `${head} ${left} ${causes.map(textOf).join(', ')}`, details: { ...details, causes } };
}

async function served({ spec }: Definition, client: Client): Promise<void> {
  const { name = '' } = spec.versions.find((version) => version.served) ?? {};
  const path = `/apis/${spec.group}/${name}/${spec.names.plural}`;
  for (let tries = 0; tries < 100; tries++) {
    if ((await client.send({ method: 'GET', path })).status === 200) return;
    await sleep(20);
  }
}

async function versionOf({ metadata: { name } }: Definition, client: Client): Promise<string> {
  const { body } = await client.send({ method: 'GET', path: `${definitions}/${name}` });
  return (JSON.parse(body.toString()) as { metadata: { resourceVersion?: string } }).metadata.resourceVersion ?? '';
}

/** A definition is replaced at its version of now; times of creation are the server's to say. */
function prepared(request: CaseRequest, version: string): CaseRequest {
  const { body } = request as { body?: { metadata?: Record<string, unknown> } };
  if (typeof body !== 'object' || body === null || typeof body.metadata !== 'object' || body.metadata === null) return request;
  const { creationTimestamp, ...metadata } = body.metadata;
  if (request.path.startsWith(definitions)) metadata['resourceVersion'] = version;
  const times = creationTimestamp === undefined || creationTimestamp === '<time>' ? {} : { creationTimestamp };
  return { ...request, body: { ...body, metadata: { ...metadata, ...times } } };
}
