// `npm run golden -- validation DIR`: recorded rules of validation, defaulting and update, played against an API server in this process.
import { join } from 'node:path';
import { releaseKinds } from '#libs/kube-api';
import { ApiUnderTest } from '../../api-under-test.fixture';
import type { PlayOptions, SessionResult, StepResult } from '../play-result';
import { differencesOf } from './compare';
import { basesOf, casesOf, requestsOf, type Base, type Case } from './recording';
import { inOurRange } from './left-open';
import { filledIn } from './stored-values';

/** Requests under way at a time: every case is a dry run, so none disturbs another. */
const atOnce = 24;
const json = { 'content-type': 'application/json' };

/** Plays the cases of all kinds that are served, or of those named (`v1 Pod`, or `Pod` for short). */
export async function playValidation(
  dir: string,
  names: readonly string[],
  { values }: Pick<PlayOptions, 'values'>,
): Promise<SessionResult[]> {
  const every = Number(values['every'] ?? 1);
  const sampled = (cases: readonly Case[]): Case[] => cases.filter((example, index) => index % every === 0 && isWanted(example));
  const isWanted = ({ kind }: { kind: string }): boolean =>
    names.length === 0 || names.includes(kind) || names.includes(kind.split(' ')[1] ?? '');
  const api = await ApiUnderTest.start();
  try {
    await setUp(api, dir);
    const creates = await played(sampled(casesOf(join(dir, 'create.jsonl'))), 'create', (example) => playCreate(api, example));
    const bases = new Map<string, Base>();
    for (const base of basesOf(join(dir, 'bases.jsonl'))) {
      if (!isWanted(base) || !isServed(base.kind)) continue;
      bases.set(base.base, base);
      await prepareBase(api, base);
    }
    const updates = await played(sampled(casesOf(join(dir, 'update.jsonl'))), 'update', (example) =>
      playUpdate(api, example, bases.get(example.base as string)),
    );
    return [...creates, ...updates];
  } finally {
    await api.close();
  }
}

/** What all cases take for granted: namespaces, accounts, classes. */
export async function setUp(api: ApiUnderTest, dir: string): Promise<void> {
  for (const { method, path, body } of requestsOf(join(dir, 'setup.json')))
    await api.send({ method, path, headers: json, body: JSON.stringify(body) });
}

export function isServed(kind: string): boolean {
  const [apiVersion = '', name = ''] = kind.split(' ');
  return releaseKinds.findKind(apiVersion, name)?.served ?? false;
}

/** One result a kind. */
async function played(cases: readonly Case[], what: string, play: (example: Case) => Promise<StepResult>): Promise<SessionResult[]> {
  const byKind = new Map<string, Case[]>();
  for (const example of cases) byKind.set(example.kind, [...(byKind.get(example.kind) ?? []), example]);
  const results: SessionResult[] = [];
  for (const [kind, examples] of [...byKind].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const session = `${kind} ${what}`;
    const began = Date.now();
    const skipped = isServed(kind) ? undefined : 'the kind is not served';
    const steps = skipped === undefined ? await allOf(examples, play) : [];
    results.push({ session, total: examples.length, steps, skipped, seconds: (Date.now() - began) / 1_000 });
  }
  return results;
}

/** Results in the order of the examples. */
export async function allOf<E, R>(examples: readonly E[], play: (example: E) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < examples.length; at += atOnce) results.push(...(await Promise.all(examples.slice(at, at + atOnce).map(play))));
  return results;
}

async function playCreate(api: ApiUnderTest, example: Case): Promise<StepResult> {
  const startedAt = Date.now();
  const received = await api.send({
    method: 'POST',
    path: `${example.path}?${example.query ?? ''}`,
    headers: json,
    body: inOurRange(example.bodyText),
  });
  return { step: `${example.case} (${example.note})`, differences: differencesOf(example, received, startedAt) };
}

/** Creates the object that updates are about, in the state that they find it in. */
export async function prepareBase(api: ApiUnderTest, base: Base): Promise<void> {
  const path = `${base.path}/${base.name}`;
  await api.send({ method: 'POST', path: base.path, headers: json, body: inOurRange(JSON.stringify(base.create)) });
  if (base.delete !== undefined) await api.send({ method: 'DELETE', path, headers: json, body: JSON.stringify(base.delete) });
  if (base.status === undefined) return;
  const object = JSON.parse((await api.send({ method: 'GET', path })).body) as object;
  await api.send({ method: 'PUT', path: `${path}/status`, headers: json, body: JSON.stringify({ ...object, status: base.status }) });
}

async function playUpdate(api: ApiUnderTest, example: Case, base: Base | undefined): Promise<StepResult> {
  const step = `${example.case} (${example.note})`;
  if (!base) return { step, differences: [{ path: '', text: `there is no base ${example.base}` }] };
  const { status, body } = await api.send({ method: 'GET', path: `${base.path}/${base.name}` });
  if (status !== 200) return { step, differences: [{ path: '', text: `the base ${base.base} is not there: ${body}` }] };
  const stored = JSON.parse(body) as { metadata: { uid: string; resourceVersion: string } };
  const sent = filledIn(inOurRange(example.bodyText), stored);
  const startedAt = Date.now();
  const received = await api.send({ method: 'PUT', path: `${example.path}?${example.query ?? ''}`, headers: json, body: sent });
  return { step, differences: differencesOf(example, received, startedAt, stored.metadata) };
}
