// Re-enacts recorded incidents and compares who preempted whom: `npm run golden -- incident DIR [incident …]`.
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { PlayOptions, SessionResult } from '../play-result';
import { comparePreemptions } from './compare-preemptions';
import type { RunIncident } from './incident';
import { readIncident } from './incident';

const isIncident = (folder: string): boolean => existsSync(join(folder, 'actions.jsonl'));

/** The incidents below a folder, or the folder itself when it is one. */
export function incidentsIn(dir: string): string[] {
  if (isIncident(dir)) return [basename(resolve(dir))];
  return readdirSync(dir)
    .filter((name) => isIncident(join(dir, name)))
    .toSorted();
}

/** Where nodes tie the real scheduler drew a lot, and with it the course of an incident: so several ways are tried (`--seeds N`). */
const seedsDefault = 10;

async function playIncident(folder: string, run: RunIncident, seeds: number): Promise<SessionResult> {
  const started = Date.now();
  const incident = readIncident(folder);
  const result: SessionResult = { session: incident.name, total: 3, steps: [], seconds: 0 };
  let fewest = Number.POSITIVE_INFINITY;
  const counts: number[] = [];
  try {
    for (let seed = 1; seed <= seeds && fewest > 0; seed++) {
      const preemptions = await run(incident.objects, incident.actions, `seed ${seed}`);
      counts.push(preemptions.length);
      const steps = comparePreemptions(incident.preemptions, preemptions).map(({ aspect, differences }) => ({ step: aspect, differences }));
      const differences = steps.reduce((sum, step) => sum + step.differences.length, 0);
      if (differences >= fewest) continue;
      fewest = differences;
      result.steps = steps;
      result.note = seed === 1 ? undefined : `ties as in seed ${seed}; the seeds before it went another way`;
    }
    if (fewest > 0) result.note = noAgreement(incident.preemptions.length, counts);
  } catch (error) {
    result.unplayed = (error as Error).message;
  }
  result.seconds = (Date.now() - started) / 1000;
  return result;
}

function noAgreement(recorded: number, counts: readonly number[]): string {
  return `none of ${counts.length} seeds went as recorded, the nearest is shown; ${recorded} preemptions recorded, ${Math.min(...counts)} to ${Math.max(...counts)} here`;
}

/** One after the other: each has a cluster of its own in memory. */
export async function playIncidents(
  dir: string,
  names: readonly string[],
  options?: PlayOptions,
  run?: RunIncident,
): Promise<SessionResult[]> {
  const root = isIncident(dir) ? dirname(resolve(dir)) : dir;
  const wanted = names.length > 0 ? names : incidentsIn(dir);
  if (wanted.length === 0) throw new Error(`no incidents in ${dir}`);
  const seeds = Number(options?.values.seeds ?? seedsDefault);
  if (!Number.isInteger(seeds) || seeds < 1) throw new Error(`--seeds: "${options?.values.seeds}" is no number from 1 on`);
  // What runs whole clusters is loaded when one is run.
  const play = run ?? (await import('./run-incident.js')).runIncident;
  const results: SessionResult[] = [];
  for (const name of wanted) {
    if (!isIncident(join(root, name))) throw new Error(`no incident ${name} in ${root}`);
    results.push(await playIncident(join(root, name), play, seeds));
  }
  return results;
}
