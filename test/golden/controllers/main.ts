// `npm run golden -- controllers DIR [area | session …] [--jobs N]`: sessions of a controller manager, played in virtual time.
import { playApart } from '../play-apart';
import type { PlayOptions, SessionResult } from '../play-result';
import { playSession } from './play';
import { areasIn, readArea, type Session } from './recording';

/** Sessions of the areas and sessions that are named; all when none is. */
export function sessionsNamed(dir: string, names: readonly string[]): Session[] {
  const areas = areasIn(dir);
  if (areas.length === 0) throw new Error(`no recordings in ${dir}`);
  if (names.length === 0) return areas.flatMap((area) => readArea(dir, area));
  const all = new Map(areas.map((area) => [area, readArea(dir, area)]));
  return names.flatMap((name) => {
    const found = all.get(name) ?? [...all.values()].flat().filter(({ session }) => session === name);
    if (found.length === 0) throw new Error(`no area or session ${name} in ${dir}; the areas are ${areas.join(', ')}`);
    return found;
  });
}

/** What cannot be played to its end is one difference. */
export async function playOne(session: Session): Promise<SessionResult> {
  const began = performance.now();
  const result: SessionResult = { session: session.session, total: session.steps.length, steps: [], seconds: 0 };
  try {
    result.steps = await playSession(session);
  } catch (error) {
    result.unplayed = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  result.seconds = (performance.now() - began) / 1_000;
  return result;
}

/** A result for each session, a step for each of its steps. */
export async function playControllers(dir: string, names: readonly string[], { values }: PlayOptions): Promise<SessionResult[]> {
  const sessions = sessionsNamed(dir, names);
  const jobs = Math.max(1, Number(values['jobs'] ?? 1));
  if (jobs > 1) {
    const ids = sessions.map(({ session }) => session);
    const results = await playApart('controllers', dir, ids, jobs);
    return results.toSorted((a, b) => ids.indexOf(a.session) - ids.indexOf(b.session));
  }
  const results: SessionResult[] = [];
  for (const session of sessions) results.push(await playOne(session));
  return results;
}
