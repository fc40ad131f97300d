// `npm run golden -- crd DIR [AREA …]`: recorded rules and message expressions on one property (cel.jsonl), compiled and asked.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlayOptions, SessionResult, StepResult } from '../play-result';
import { playInstances } from './instances';
import { playRule, type RecordedRule } from './rules';

/** Plays the rules, those of some areas if named; one result an area. */
export function playDefinitions(dir: string, areas: readonly string[], { values }: Pick<PlayOptions, 'values'>): Promise<SessionResult[]> {
  const file = join(dir, 'cel.jsonl');
  if (!existsSync(file)) throw new Error(`no cel.jsonl in ${dir}`);
  if (areas[0] === 'instances') return playInstances(dir, areas.slice(1), { verifies: values['verify'] !== undefined });
  const every = Number(values['every'] ?? 1);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const rules = lines.filter((_, index) => index % every === 0).map((line) => JSON.parse(line) as RecordedRule);
  const results = new Map<string, SessionResult>();
  for (const rule of rules) {
    if (areas.length > 0 && !areas.includes(rule.area)) continue;
    const began = performance.now();
    const step: StepResult = { step: rule.id, differences: playRule(rule) };
    const result = results.get(rule.area) ?? { session: rule.area, total: 0, steps: [], seconds: 0 };
    result.total += 1;
    result.steps.push(step);
    result.seconds += (performance.now() - began) / 1_000;
    results.set(rule.area, result);
  }
  const rest = ['accept.jsonl', 'instances.jsonl'].filter((name) => areas.length === 0 && existsSync(join(dir, name)));
  const unplayed = rest.map((name) => ({ session: name, total: 0, steps: [], seconds: 0, skipped: 'the kind is not served' }));
  return Promise.resolve([...results.values(), ...unplayed]);
}
