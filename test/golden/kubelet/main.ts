// `npm run golden -- kubelet DIR [group | id …] [--jobs N]`: lives of pods on a real kubelet, played in virtual time.
import { playApart } from '../play-apart';
import type { PlayOptions, SessionResult, StepResult } from '../play-result';
import { compareLife } from './compare-life';
import { playLife } from './play';
import { groupsIn, readGroup, type RecordedLife } from './recording';

/** Lives of the groups and ids that are named; all when none is. */
export function livesNamed(dir: string, names: readonly string[]): RecordedLife[] {
  const groups = groupsIn(dir);
  if (groups.length === 0) throw new Error(`no recordings in ${dir}`);
  const wanted = names.length === 0 ? groups : names;
  const lives = wanted.flatMap((name) => {
    const [group = ''] = name.split('/', 1);
    if (!groups.includes(group)) throw new Error(`no group ${group} in ${dir}; there are ${groups.join(', ')}`);
    const all = readGroup(dir, group);
    const exact = all.filter(({ id }) => id === name);
    if (exact.length > 0) return exact;
    return name === group ? all : all.filter(({ id }) => id.startsWith(name));
  });
  if (lives.length === 0) throw new Error(`no life is called ${names.join(', ')}`);
  return lives;
}

/** What differs of one life; what cannot be played at all is one difference. */
export async function playOne(life: RecordedLife): Promise<StepResult> {
  try {
    return { step: life.id, differences: compareLife(life, await playLife(life)) };
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { step: life.id, differences: [{ path: 'not played', text }] };
  }
}

/** A result for each group, a step for each life. */
export async function playKubelet(dir: string, names: readonly string[], { values }: PlayOptions): Promise<SessionResult[]> {
  const lives = livesNamed(dir, names);
  const jobs = Math.max(1, Number(values['jobs'] ?? 1));
  const results = new Map<string, SessionResult>();
  const steps = jobs > 1 ? await playInProcesses(dir, lives, jobs) : await playInTurn(lives);
  for (const { step, seconds } of steps) {
    const [group = ''] = String(step.step).split('/', 1);
    const result = results.get(group) ?? { session: group, total: 0, steps: [], seconds: 0 };
    result.total += 1;
    result.steps.push(step);
    result.seconds += seconds;
    results.set(group, result);
  }
  return [...results.values()];
}

interface Timed {
  step: StepResult;
  seconds: number;
}

async function playInTurn(lives: readonly RecordedLife[]): Promise<Timed[]> {
  const steps: Timed[] = [];
  for (const life of lives) {
    const began = performance.now();
    const step = await playOne(life);
    steps.push({ step, seconds: (performance.now() - began) / 1_000 });
  }
  return steps;
}

async function playInProcesses(dir: string, lives: readonly RecordedLife[], jobs: number): Promise<Timed[]> {
  const answered = await playApart(
    'kubelet',
    dir,
    lives.map(({ id }) => id),
    jobs,
  );
  const order = new Map(lives.map(({ id }, index) => [id, index]));
  const timed = answered.flatMap(({ steps, seconds }) => steps.map((step) => ({ step, seconds: seconds / steps.length })));
  return timed.toSorted((a, b) => (order.get(String(a.step.step)) ?? 0) - (order.get(String(b.step.step)) ?? 0));
}
