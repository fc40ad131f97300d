// What differs between a recorded course of states and ours, as paths.
import { jsonEqual } from '#libs/kernel';
import type { Difference } from '../play-result';
import { align, shortestSeen, type Pair, type State } from './align';
import type { Fields } from './recording';

/** How far moments may lie apart, seconds. */
export interface Tolerance {
  /** Between two states that follow one another. */
  step: number;
  /** How much later a retry may come than another time. */
  late?: number;
  /** A moment in a state, from the state's beginning. */
  within: number;
}

/** @param end of what was recorded: what began so late that it may come after it in another run need not be there, seconds */
export function compareCourses(
  name: string,
  recorded: readonly State[],
  ours: readonly State[],
  tolerance: Tolerance,
  end = Number.POSITIVE_INFINITY,
): Difference[] {
  const differences: Difference[] = [];
  const pairs = align(recorded, ours);
  let before: Pair | undefined;
  for (const pair of pairs) {
    const { recorded: was, ours: is } = pair;
    if (was && is) {
      differences.push(...valueDifferences(`${name}@${was.t}`, was.value, is.value));
      if (jsonEqual(was.value, is.value)) differences.push(...timeDifferences(name, { recorded: was, ours: is }, before, tolerance));
      before = pair;
    } else if (was && was.lasted > shortestSeen && was.t + (tolerance.late ?? 0) < end) {
      differences.push({ path: `${name}@${was.t}`, text: `missing for ${seconds(was.lasted)}: ${changeText(was, before?.recorded)}` });
    } else if (is && is.lasted > shortestSeen && is.t + (tolerance.late ?? 0) < end) {
      differences.push({
        path: name,
        text: `not recorded, from ${seconds(is.t)} for ${seconds(is.lasted)}: ${changeText(is, before?.ours)}`,
      });
    }
  }
  return differences;
}

const seconds = (amount: number): string => `${Math.round(amount * 10) / 10} s`;

function timeDifferences(name: string, { recorded, ours }: Required<Pair>, before: Pair | undefined, tolerance: Tolerance): Difference[] {
  const differences: Difference[] = [];
  const path = `${name}@${recorded.t}`;
  const gap = recorded.t - (before?.recorded?.t ?? 0);
  const own = ours.t - (before?.ours?.t ?? 0);
  if (Math.abs(gap - own) > tolerance.step) {
    differences.push({ path: `${path}.t`, text: `expected ${seconds(gap)} after the state before, got ${seconds(own)}` });
  }
  for (const [place, time] of recorded.times) {
    const found = ours.times.get(place);
    const isNew = before?.recorded?.times.get(place) !== time;
    if (!isNew || found === undefined || before?.ours?.times.get(place) === found) continue;
    // What was before the first pod was there is told by no record.
    if (time < 0 && found < 0) continue;
    const expected = time - recorded.t;
    const actual = found - ours.t;
    if (Math.abs(expected - actual) <= tolerance.within) continue;
    differences.push({
      path: `${path}.${place}`,
      text: `expected ${seconds(expected)} from the state's beginning, got ${seconds(actual)}`,
    });
  }
  return differences;
}

/** Paths at which two values differ. */
export function valueDifferences(path: string, expected: unknown, actual: unknown): Difference[] {
  if (jsonEqual(expected, actual)) return [];
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length)
    return expected.flatMap((each, index) => valueDifferences(`${path}[${nameOf(each) ?? index}]`, each, actual[index]));
  if (!isObject(expected) || !isObject(actual)) return [{ path, text: `expected ${show(expected)}, got ${show(actual)}` }];
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...keys].flatMap((key) => valueDifferences(`${path}.${key}`, expected[key], actual[key]));
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

function nameOf(value: unknown): string | undefined {
  return isObject(value) ? ((value.type ?? value.name) as string | undefined) : undefined;
}

/** What is otherwise in a state than in the one before. */
function changeText(state: State, before: State | undefined): string {
  if (!before) return show(state.value);
  return valueDifferences('', before.value, state.value)
    .map(({ path, text }) => `${path.slice(1)} ${text.replace(/^expected .*, got /s, '= ')}`)
    .join(', ');
}

const shownMax = 300;

export function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}
