import { readFileSync } from 'node:fs';
import { parseDocument, LineCounter } from 'yaml';
import { isObject, type Json, type JsonObject } from '#libs/kernel';
import { CliError } from '../cli-error';

/** What is done in one step; exactly one of them. */
export type StepAction =
  | { apply: JsonObject[] }
  | { delete: string; gracePeriodSeconds?: number }
  | { patch: string; with: JsonObject }
  | { scale: string; replicas: number }
  | { evict: string }
  | { drain: string; timeoutMs?: number }
  | { uncordon: string }
  | { wait: number }
  | { expect: JsonObject };

export type ScenarioStep = StepAction & {
  /** Told to the reader before the step. */
  say?: string;
  /** The step is meant to be refused with this code. */
  refused?: number;
};

/** A story that can be run: in virtual time, or against a live cluster. See docs/scenarios.md. */
export interface Scenario {
  name: string;
  /** Two or three sentences: the rule, and where it is written. */
  tells: string;
  nodes: { count: number; cpu: string; memory: string; pods: number } | undefined;
  kubelet: { startupMs?: number; onTerm?: 'exit' | 'ignore' };
  steps: ScenarioStep[];
}

const actions = ['apply', 'delete', 'patch', 'scale', 'evict', 'drain', 'uncordon', 'wait', 'expect'];
const extras = new Set(['say', 'refused', 'with', 'replicas', 'gracePeriodSeconds', 'timeout']);

/** @throws CliError naming file, line and what is allowed. */
export function readScenario(path: string): Scenario {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`${path}: ${(error as Error).message}`, 'Scenarios that come along are in scenarios/.', 2);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { version: '1.1', lineCounter: lines });
  const broken = document.errors[0];
  if (broken) throw new CliError(`${path}:${lines.linePos(broken.pos[0]).line}: ${broken.message.split('\n')[0]}`, undefined, 2);
  const content = document.toJS({ maxAliasCount: 100 }) as unknown;
  const fail = (place: string, problem: string, remedy?: string): never => {
    throw new CliError(`${path}: ${place}: ${problem}`, remedy, 2);
  };
  if (!isObject(content) || !Array.isArray(content.steps)) return fail('steps', 'missing', 'A scenario is a map with name, tells and steps.');
  return {
    name: String(content.name ?? path),
    tells: String(content.tells ?? '').trim(),
    nodes: isObject(content.nodes) ? { count: 3, cpu: '4', memory: '8Gi', pods: 110, ...(content.nodes as object) } : undefined,
    kubelet: isObject(content.kubelet) ? (content.kubelet as Scenario['kubelet']) : {},
    steps: content.steps.map((step, index) => readStep(step as Json, `steps[${index}]`, fail)),
  };
}

type Fail = (place: string, problem: string, remedy?: string) => never;

function readStep(step: Json, place: string, fail: Fail): ScenarioStep {
  if (!isObject(step)) return fail(place, 'is no map');
  const named = actions.filter((action) => step[action] !== undefined);
  if (named.length !== 1) return fail(place, `needs exactly one action, has ${named.length}`, `Actions: ${actions.join(', ')}`);
  const action = named[0] as string;
  for (const key of Object.keys(step)) if (key !== action && !extras.has(key)) fail(`${place}.${key}`, 'is not known', `Beside an action: ${[...extras].join(', ')}`);
  const common = { ...(step.say === undefined ? {} : { say: String(step.say).trim() }), ...(step.refused === undefined ? {} : { refused: Number(step.refused) }) };
  const value = step[action];
  switch (action) {
    case 'apply':
      return { ...common, apply: (Array.isArray(value) ? value : [value]) as JsonObject[] };
    case 'patch':
      if (!isObject(step.with)) return fail(`${place}.with`, 'is missing', 'The merge patch goes there.');
      return { ...common, patch: String(value), with: step.with };
    case 'scale':
      return { ...common, scale: String(value), replicas: Number(step.replicas) };
    case 'wait':
      return { ...common, wait: duration(value, `${place}.wait`, fail) };
    case 'drain':
      return { ...common, drain: String(value), ...(step.timeout === undefined ? {} : { timeoutMs: duration(step.timeout, `${place}.timeout`, fail) }) };
    case 'expect':
      if (!isObject(value)) return fail(`${place}.expect`, 'is no map', 'kind/name: {field: value}');
      return { ...common, expect: value };
    case 'delete':
      return { ...common, delete: String(value), ...(step.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: Number(step.gracePeriodSeconds) }) };
    default:
      return { ...common, [action]: String(value) } as ScenarioStep;
  }
}

const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function duration(value: Json | undefined, place: string, fail: Fail): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(String(value));
  if (!match) return fail(place, `"${String(value)}" is no duration`, 'A number with ms, s, m or h: 5s.');
  return Number(match[1]) * (units[match[2] as string] as number);
}
