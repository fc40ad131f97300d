// `npm run golden -- apply DIR`: recorded sequences of server-side applies and other writes, played against an API server in this process.
import { join } from 'node:path';
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { releaseKinds } from '#libs/kube-api';
import { ApiUnderTest } from '../../api-under-test.fixture';
import type { PlayOptions, SessionResult, StepResult } from '../play-result';
import { MovingClock } from './moving-clock';
import { playSequence } from './play-sequence';
import { sequencesOf, setupOf, type Sequence } from './recording';

/** Sequences under way at a time: each has an object of its own. */
const atOnce = 8;
const json = { 'content-type': 'application/json' };

/**
 * Plays the sequences of all kinds that are served, or of those named (`v1 Pod`, or `Pod` for short).
 * @param afterwards gets the server and its log while they are still there
 */
export async function playApplies(
  dir: string,
  names: readonly string[],
  { values }: Pick<PlayOptions, 'values'>,
  afterwards: (api: ApiUnderTest, log: EventLog) => Promise<void> = () => Promise.resolve(),
): Promise<SessionResult[]> {
  const every = Number(values['every'] ?? 1);
  const isWanted = ({ kind }: Sequence): boolean => names.length === 0 || names.includes(kind) || names.includes(kind.split(' ')[1] ?? '');
  const sequences = sequencesOf(join(dir, 'apply.jsonl')).filter((sequence, index) => index % every === 0 && isWanted(sequence));
  const clock = new MovingClock();
  const log = createMemoryLog();
  const api = await ApiUnderTest.start(log, { clock });
  try {
    for (const { method, path, body } of setupOf(join(dir, 'setup.json')))
      await api.send({ method, path, headers: json, body: JSON.stringify(body) });
    const byKind = new Map<string, Sequence[]>();
    for (const sequence of sequences) byKind.set(sequence.kind, [...(byKind.get(sequence.kind) ?? []), sequence]);
    const results: SessionResult[] = [];
    for (const [kind, all] of [...byKind].sort(([a], [b]) => (a < b ? -1 : 1))) results.push(await playKind(api, clock, kind, all));
    await afterwards(api, log);
    return results;
  } finally {
    await api.close();
  }
}

async function playKind(api: ApiUnderTest, clock: MovingClock, kind: string, sequences: readonly Sequence[]): Promise<SessionResult> {
  const began = Date.now();
  const skipped = isServed(kind) ? undefined : 'the kind is not served';
  const steps: StepResult[] = [];
  for (let at = 0; skipped === undefined && at < sequences.length; at += atOnce) {
    const some = sequences.slice(at, at + atOnce).map((sequence) => playSequence(api, clock, sequence));
    steps.push(...(await Promise.all(some)).flat());
  }
  const total = sequences.reduce((sum, sequence) => sum + sequence.steps.length, 0);
  return { session: kind, total, steps, skipped, seconds: (Date.now() - began) / 1_000 };
}

function isServed(kind: string): boolean {
  const [apiVersion = '', name = ''] = kind.split(' ');
  return releaseKinds.findKind(apiVersion, name)?.served ?? false;
}
