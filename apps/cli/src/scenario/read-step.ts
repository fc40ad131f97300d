import { isObject, type Json, type JsonObject } from '#libs/kernel';
import type { ScenarioStep, StepAction } from './scenario';

/** Names the place, the problem, and what would be right. */
export type Fail = (place: string, problem: string, remedy?: string) => never;

type Reader = (value: Json, step: JsonObject, place: string, fail: Fail) => StepAction;

/** How long `finish` waits when it is not told. */
const finishMs = 60_000;

const readers: Record<string, { extras: readonly string[]; read: Reader }> = {
  apply: {
    extras: [],
    read: (value, _step, place, fail) => {
      const manifests = Array.isArray(value) ? value : [value];
      return manifests.every(isObject)
        ? { apply: manifests }
        : fail(
            `${place}.apply`,
            'is no manifest',
            'A manifest, or a list of manifests, stands in the scenario itself; files are not read.',
          );
    },
  },
  delete: {
    extras: ['gracePeriodSeconds'],
    read: (value, { gracePeriodSeconds: seconds }) => ({
      delete: String(value),
      ...(seconds === undefined ? {} : { gracePeriodSeconds: Number(seconds) }),
    }),
  },
  patch: {
    extras: ['with'],
    read: (value, step, place, fail) =>
      isObject(step.with) ? { patch: String(value), with: step.with } : fail(`${place}.with`, 'is missing', 'The merge patch goes there.'),
  },
  scale: { extras: ['replicas'], read: (value, { replicas }) => ({ scale: String(value), replicas: Number(replicas) }) },
  evict: { extras: [], read: (value) => ({ evict: String(value) }) },
  drain: { extras: ['timeout', 'podSelector', 'background'], read: readDrain },
  finish: {
    extras: ['within'],
    read: (value, step, place, fail) => ({
      finish: nodeOfDrain(String(value)),
      withinMs: step.within === undefined ? finishMs : duration(step.within, `${place}.within`, fail),
    }),
  },
  uncordon: { extras: [], read: (value) => ({ uncordon: String(value) }) },
  wait: { extras: [], read: (value, _step, place, fail) => ({ wait: duration(value, `${place}.wait`, fail) }) },
  show: {
    extras: [],
    read: (value, _step, place, fail) =>
      value === 'nodes' || value === 'pods'
        ? { show: value }
        : fail(`${place}.show`, `"${String(value)}" cannot be shown`, 'nodes or pods'),
  },
  expect: {
    extras: [],
    read: (value, _step, place, fail) =>
      isObject(value) ? { expect: value } : fail(`${place}.expect`, 'is no map', 'kind/name: {field: value}'),
  },
};

/** Beside any action. */
const common = ['say', 'refused'];

/** One step of a scenario. @param place where it stands in the file: `steps[3]` @param fail throws, naming a place */
export function readStep(step: Json, place: string, fail: Fail): ScenarioStep {
  if (!isObject(step)) return fail(place, 'is no map', `Actions: ${Object.keys(readers).join(', ')}`);
  const named = Object.keys(readers).filter((action) => step[action] !== undefined);
  const [action] = named;
  if (named.length > 1) return fail(place, `has ${named.length} actions: ${named.join(', ')}`, 'One a step.');
  const reader = action === undefined ? undefined : readers[action];
  const allowed = [...common, ...(reader?.extras ?? [])];
  for (const key of Object.keys(step)) {
    if (key !== action && !allowed.includes(key))
      fail(
        `${place}.${key}`,
        'is not known',
        `Actions: ${Object.keys(readers).join(', ')}; beside ${action ?? 'an action'}: ${allowed.join(', ')}`,
      );
  }
  const words = {
    ...(step.say === undefined ? {} : { say: String(step.say).trim() }),
    ...(step.refused === undefined ? {} : { refused: step.refused === true ? 0 : Number(step.refused) }),
  };
  if (!reader || action === undefined)
    return step.say === undefined ? fail(place, 'has no action', `Actions: ${Object.keys(readers).join(', ')}`) : { ...words, tell: true };
  return { ...words, ...reader.read(step[action] as Json, step, place, fail) };
}

function readDrain(value: Json, step: JsonObject, place: string, fail: Fail): StepAction {
  const { timeout, podSelector, background } = step;
  return {
    drain: String(value),
    background: background === true,
    ...(timeout === undefined ? {} : { timeoutMs: duration(timeout, `${place}.timeout`, fail) }),
    ...(podSelector === undefined ? {} : { podSelector: selector(podSelector, `${place}.podSelector`, fail) }),
  };
}

/** `app=web,tier=front` */
function selector(value: Json, place: string, fail: Fail): Record<string, string> {
  const pairs = String(value)
    .split(',')
    .map((pair) => pair.split('='));
  if (pairs.some((pair) => pair.length !== 2)) fail(place, `"${String(value)}" is no selector`, 'key=value, several separated by commas');
  return Object.fromEntries(pairs as [string, string][]);
}

/** `drain node-1` or just `node-1`. */
function nodeOfDrain(text: string): string {
  return text.replace(/^drain\s+/, '');
}

const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function duration(value: Json, place: string, fail: Fail): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(String(value));
  if (!match) return fail(place, `"${String(value)}" is no duration`, 'A number with ms, s, m or h: 5s.');
  return Number(match[1]) * (units[match[2] as string] as number);
}
