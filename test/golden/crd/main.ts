// `npm run golden -- crd DIR [NAME …]`: definitions of custom kinds (accept.jsonl), custom objects (instances.jsonl), and rules and message
// expressions on one property (cel.jsonl). A name is `accept`, `instances`, that of an area of rules, or the id of one case.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiUnderTest } from '../../api-under-test.fixture';
import type { PlayOptions, SessionResult, StepResult } from '../play-result';
import { playDefinition, type RecordedDefinition } from './definitions';
import { playInstances } from './instances';
import { playRule, type RecordedRule } from './rules';

type Options = Pick<PlayOptions, 'values'>;

/** Plays everything, or what is named. */
export async function playCustomResources(dir: string, names: readonly string[], options: Options): Promise<SessionResult[]> {
  const ofDefinitions = names.filter((name) => name.startsWith('accept'));
  const ofInstances = names.filter((name) => /^(?:instances$|inst-|ratchet-)/.test(name));
  const ofRules = names.filter((name) => !ofDefinitions.includes(name) && !ofInstances.includes(name));
  const isWanted = (own: readonly string[]): boolean => names.length === 0 || own.length > 0;
  const cases = ofInstances.filter((name) => name !== 'instances');
  return [
    ...(isWanted(ofRules) ? playRules(dir, ofRules, options) : []),
    ...(isWanted(ofDefinitions) ? await playDefinitions(dir, ofDefinitions, options) : []),
    ...(isWanted(ofInstances) ? await playInstances(dir, cases, { verifies: options.values['verify'] !== undefined }) : []),
  ];
}

function linesOf<T>(dir: string, name: string, { values }: Options): T[] {
  const file = join(dir, name);
  if (!existsSync(file)) throw new Error(`no ${name} in ${dir}`);
  const every = Number(values['every'] ?? 1);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.filter((_, index) => index % every === 0).map((line) => JSON.parse(line) as T);
}

/** One result an area; areas are played without a server. */
export function playRules(dir: string, areas: readonly string[], options: Options): SessionResult[] {
  const results = new Map<string, SessionResult>();
  for (const rule of linesOf<RecordedRule>(dir, 'cel.jsonl', options)) {
    if (areas.length > 0 && !areas.includes(rule.area)) continue;
    const began = performance.now();
    const step: StepResult = { step: rule.id, differences: playRule(rule) };
    const result = results.get(rule.area) ?? { session: rule.area, total: 0, steps: [], seconds: 0 };
    result.total += 1;
    result.steps.push(step);
    result.seconds += (performance.now() - began) / 1_000;
    results.set(rule.area, result);
  }
  return [...results.values()];
}

/** One result for each thing that was varied (`property`, `versions`, …). */
export async function playDefinitions(dir: string, names: readonly string[], options: Options): Promise<SessionResult[]> {
  const all = linesOf<RecordedDefinition>(dir, 'accept.jsonl', options);
  const isWanted = ({ id }: RecordedDefinition): boolean => names.length === 0 || names.includes('accept') || names.includes(id);
  const results = new Map<string, SessionResult>();
  const api = await ApiUnderTest.start();
  try {
    for (const definition of all.filter(isWanted)) {
      const began = performance.now();
      const steps = await playDefinition(api, definition);
      const session = `accept ${definition.about.split(':', 1)[0]}`;
      const result = results.get(session) ?? { session, total: 0, steps: [], seconds: 0 };
      result.total += steps.length;
      result.steps.push(...steps);
      result.seconds += (performance.now() - began) / 1_000;
      results.set(session, result);
    }
  } finally {
    await api.close();
  }
  return [...results.values()];
}
