// Each recorded preemption decided again on the state before it: `npm run golden -- incident-decisions DIR [incident …]`.
import { basename, dirname, join, resolve } from 'node:path';
import type { PlayOptions, SessionResult, StepResult } from '../../play-result';
import { incidentsIn } from '../main';
import { differenceOf } from './compare-decision';
import { readPreemptions, type RecordedPreemption } from './recorded-preemptions';
import { readVersions, type RecordedVersions } from './recorded-versions';
import { attemptAt } from './state-before';

/**
 * An attempt takes its view of the cluster some time before its outcome is sent, so what others wrote in between is not part of it.
 * How long that took is not recorded; these are tried, the shortest first.
 */
const attemptMs = [0, 2, 5, 10, 20];

export interface DecisionAgain {
  preemption: RecordedPreemption;
  /** On the very state before the first write; undefined when it agrees. */
  difference: string | undefined;
  /** The age of the state on which it agrees, in milliseconds; undefined when it agrees on none. */
  agreesAtMs: number | undefined;
}

/** Every preemption of one incident, in the order of the record. */
export function decideAgain(folder: string): DecisionAgain[] {
  const recorded = readVersions(folder);
  return readPreemptions(folder, recorded).map((preemption) => decideOne(recorded, preemption));
}

function decideOne(recorded: RecordedVersions, preemption: RecordedPreemption): DecisionAgain {
  const at = (unseenMs: number): string | undefined =>
    differenceOf(preemption, attemptAt(recorded, preemption.preemptor, { ...preemption, unseenMs }));
  const difference = at(0);
  const agreesAtMs = difference === undefined ? 0 : attemptMs.find((ms) => ms > 0 && at(ms) === undefined);
  return {
    preemption,
    difference,
    agreesAtMs,
  };
}

export function playDecisions(dir: string, names: readonly string[], options: Pick<PlayOptions, 'out' | 'json'>): Promise<SessionResult[]> {
  const known = incidentsIn(dir);
  const root = known.length === 1 && known[0] === basename(resolve(dir)) ? dirname(resolve(dir)) : dir;
  const wanted = names.length > 0 ? names : known;
  for (const name of wanted) if (!known.includes(name)) throw new Error(`no incident ${name} in ${dir}; there are ${known.join(', ')}`);
  return Promise.resolve(wanted.map((name) => playIncident(join(root, name), name, options)));
}

function playIncident(folder: string, name: string, options: Pick<PlayOptions, 'out' | 'json'>): SessionResult {
  const started = Date.now();
  const decisions = decideAgain(folder);
  const steps = decisions.map(({ preemption, difference, agreesAtMs }, index): StepResult => {
    const step = `${index + 1}, ${preemption.preemptor} on ${preemption.node}`;
    if (difference === undefined) return { step, differences: [] };
    if (agreesAtMs === undefined) return { step, differences: [{ path: '', text: difference }] };
    if (!options.json)
      options.out(`  ${name} step ${step}: agrees on the state ${agreesAtMs} ms before its outcome was sent (later: ${difference})`);
    return { step, differences: [] };
  });
  return { session: name, total: decisions.length, steps, seconds: (Date.now() - started) / 1000 };
}
