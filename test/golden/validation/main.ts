// `npm run golden -- validation DIR`: recorded rules of validation, defaulting and update, played against an API server in this process.
import { join } from 'node:path';
import { ApiUnderTest } from '../../api-under-test.fixture';
import type { PlayOptions, SessionResult, StepResult } from '../play-result';
import { differencesOf } from './compare';
import { isServed, namesKind, played } from './of-kinds';
import { prepareBase, setUp } from './prepare';
import { basesOf, casesOf, type Base, type Case } from './recording';
import { inOurRange } from './left-open';
import { filledIn } from './stored-values';

const json = { 'content-type': 'application/json', 'user-agent': 'golden/1.0' };

/** Plays the cases of all kinds that are served, or of those named (`v1 Pod`, or `Pod` for short). */
export async function playValidation(
  dir: string,
  names: readonly string[],
  { values }: Pick<PlayOptions, 'values'>,
): Promise<SessionResult[]> {
  const every = Number(values['every'] ?? 1);
  const sampled = (cases: readonly Case[]): Case[] => cases.filter((example, index) => index % every === 0 && isWanted(example));
  const isWanted = namesKind(names);
  const api = await ApiUnderTest.start();
  try {
    await setUp(api, dir);
    const creates = await played(
      sampled(casesOf(join(dir, 'create.jsonl'))),
      (kind) => `${kind} create`,
      (example) => playCreate(api, example),
    );
    const bases = new Map<string, Base>();
    for (const base of basesOf(join(dir, 'bases.jsonl'))) {
      if (!isWanted(base) || !isServed(base.kind)) continue;
      bases.set(base.base, base);
      await prepareBase(api, base);
    }
    const updates = await played(
      sampled(casesOf(join(dir, 'update.jsonl'))),
      (kind) => `${kind} update`,
      (example) => playUpdate(api, example, bases.get(example.base as string)),
    );
    return [...creates, ...updates];
  } finally {
    await api.close();
  }
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
