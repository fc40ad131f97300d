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

/** The run in virtual time, in a module of its own; undefined when it is not built. */
function builtRunner(): RunIncident | undefined {
  const module = join(__dirname, 'run-incident');
  if (!existsSync(`${module}.js`)) return undefined;
  return (require(module) as { runIncident: RunIncident }).runIncident;
}

async function playIncident(folder: string, run: RunIncident): Promise<SessionResult> {
  const started = Date.now();
  const incident = readIncident(folder);
  const result: SessionResult = { session: incident.name, total: 3, steps: [], seconds: 0 };
  try {
    const preemptions = await run(incident.objects, incident.actions);
    result.steps = comparePreemptions(incident.preemptions, preemptions).map(({ aspect, differences }) => ({ step: aspect, differences }));
  } catch (error) {
    result.unplayed = (error as Error).message;
  }
  result.seconds = (Date.now() - started) / 1000;
  return result;
}

/** One after the other: each has a cluster of its own in memory. */
export async function playIncidents(
  dir: string,
  names: readonly string[],
  _options?: PlayOptions,
  run: RunIncident | undefined = builtRunner(),
): Promise<SessionResult[]> {
  const root = isIncident(dir) ? dirname(resolve(dir)) : dir;
  const wanted = names.length > 0 ? names : incidentsIn(dir);
  if (wanted.length === 0) throw new Error(`no incidents in ${dir}`);
  const results: SessionResult[] = [];
  for (const name of wanted) {
    if (!isIncident(join(root, name))) throw new Error(`no incident ${name} in ${root}`);
    results.push(
      run === undefined
        ? { session: name, total: 3, steps: [], unplayed: 'nothing is built that re-enacts incidents', seconds: 0 }
        : await playIncident(join(root, name), run),
    );
  }
  return results;
}
