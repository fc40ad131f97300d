// Every single change in a recorded answer has to be found, but for what left-open.ts names.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Bindings } from './bindings';
import { compareBody } from './values';
import { readsCollection } from './response';
import type { CompareContext } from './context';
import { prefixBeforeGoTypes } from './left-open';
import type { Header } from '../recording';
import { isHttp, readRecording, sessionsIn } from '../recording';
import { Inventor } from '../replay/server';

const sample = join(__dirname, '../sample');

interface Change {
  path: string;
  changed: unknown;
  /** What the recording has there. */
  expected: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function other(value: unknown): unknown {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : 0;
}

/** Each value that differs from `actual` in one place. */
function* changes(expected: unknown, actual: unknown, path = ''): Generator<Change> {
  if (Array.isArray(actual) && Array.isArray(expected)) {
    for (const [index, value] of actual.entries()) {
      for (const inner of changes(expected[index], value, `${path}[${index}]`)) {
        yield { ...inner, changed: actual.with(index, inner.changed) };
      }
      yield { path: `${path}[${index}] left out`, changed: actual.toSpliced(index, 1), expected: expected[index] };
    }
    yield { path: `${path}[] added`, changed: [...actual, {}], expected };
  } else if (isObject(actual) && isObject(expected)) {
    for (const [key, value] of Object.entries(actual)) {
      for (const inner of changes(expected[key], value, `${path}.${key}`)) yield { ...inner, changed: { ...actual, [key]: inner.changed } };
      yield {
        path: `${path}.${key} left out`,
        changed: Object.fromEntries(Object.entries(actual).filter(([name]) => name !== key)),
        expected: value,
      };
    }
    yield { path: `${path}.added`, changed: { ...actual, added: 1 }, expected };
  } else yield { path, changed: other(actual), expected };
}

const isOpen = ({ path, expected }: Change): boolean =>
  typeof expected === 'string' &&
  (path.endsWith('.metadata.continue') || (path.endsWith('.message') && prefixBeforeGoTypes(expected) !== undefined));

function* answers(session: string): Generator<[at: string, expected: unknown, ofCollection: boolean]> {
  for (const step of readRecording(sample, session).steps.filter(isHttp)) {
    if (step.response.body !== undefined) yield [`step ${step.step}`, step.response.body, readsCollection(step.request)];
    for (const { frame } of step.response.frames ?? []) yield [`step ${step.step}, frame`, frame, false];
  }
}

function unnoticed(session: string): { tried: number; passed: string[] } {
  const header: Header = readRecording(sample, session).header;
  const inventor = new Inventor(session);
  const context: CompareContext = {
    bindings: new Bindings(),
    startedAt: Date.now() - 1000,
    now: () => Date.now(),
    header,
    differences: [],
  };
  const passed: string[] = [];
  let tried = 0;
  for (const [at, expected, ofCollection] of answers(session)) {
    const actual = inventor.json(expected);
    for (const change of changes(expected, actual)) {
      if (isOpen(change)) continue;
      const mark = context.bindings.mark();
      const attempt: CompareContext = { ...context, differences: [] };
      compareBody(attempt, expected, change.changed, 'body', ofCollection);
      context.bindings.rollback(mark);
      tried += 1;
      if (attempt.differences.length === 0) passed.push(`${at}: ${change.path}`);
    }
    compareBody(context, expected, actual, 'body', ofCollection);
  }
  expect(context.differences).toEqual([]);
  return { tried, passed };
}

describe('no change goes unnoticed in', () => {
  it.each(sessionsIn(sample))('%s', (session) => {
    const { tried, passed } = unnoticed(session);
    expect(passed).toEqual([]);
    expect(tried).toBeGreaterThan(100);
  });
});
