import { describe, expect, it } from 'vitest';
import { parseArguments, printResults, sumUp, totalLine } from '../command';
import type { SessionResult } from '../play-result';
import { chainsOf } from './main';
import { appsOf } from './play/server';
import type { Recording } from './recording';

describe('the apps of a session', () => {
  it('stand for what ran when it was recorded', () => {
    expect(appsOf('apiserver')).toEqual(['apiserver', 'priority-admission', 'pdb-controller/eviction']);
    expect(appsOf('apiserver+scheduler+controller-manager')).toEqual([
      'apiserver',
      'priority-admission',
      'scheduler',
      'controller-manager',
      'pdb-controller',
    ]);
    expect(appsOf('apiserver+stand-in kubelet')).toEqual(appsOf('apiserver'));
    expect(() => appsOf('apiserver+etcd')).toThrow('"etcd"');
  });
});

describe('sessions that continue others', () => {
  const recording = (session: string, continues?: string): [string, Recording] => [
    session,
    { header: { session, title: '', area: '', server: '', runs: 'apiserver', continues }, steps: [], samples: [], dir: '' },
  ];
  const recordings = new Map([recording('a'), recording('b', 'a'), recording('c', 'b'), recording('x')]);

  it('share a server and are played after them', () => {
    expect(chainsOf(recordings, ['c', 'x'])).toEqual([['a', 'b', 'c'], ['x']]);
    expect(chainsOf(recordings, ['a', 'c', 'b'])).toEqual([['a', 'b', 'c']]);
    expect(chainsOf(recordings, ['x', 'a'])).toEqual([['x'], ['a']]);
  });
});

describe('the command', () => {
  const result = (over: Partial<SessionResult>): SessionResult => ({ session: 's', total: 3, steps: [], seconds: 0, ...over });
  const step = (number: number, ...texts: string[]) => ({ step: number, differences: texts.map((text) => ({ path: 'body.a', text })) });

  it('reads options with and without values', () => {
    const { positional, flags } = parseArguments(['api', 'dir', '--all', 'one', '--server', 'http://x', '--token=a=b']);
    expect(positional).toEqual(['api', 'dir', 'one']);
    expect({ ...flags }).toEqual({ all: 'true', server: 'http://x', token: 'a=b' });
    expect(() => parseArguments(['--server'])).toThrow('--server needs a value');
  });

  it('counts steps; unreached ones failed, skipped sessions count as neither', () => {
    const results = [
      result({ steps: [step(1), step(2, 'x'), step(3)] }),
      result({ unplayed: 'why', steps: [step(1)] }),
      result({ skipped: 'why' }),
    ];
    expect(totalLine(sumUp(results))).toBe('3 passed, 3 failed');
  });

  it('prints a line a session, bounded differences, and the total last', () => {
    const many = result({ session: 'many', total: 1, steps: [step(1, ...Array.from({ length: 25 }, (_, index) => `d${index}`))] });
    const lines: string[] = [];
    const results = [many, result({ session: 'cut', unplayed: 'why', steps: [step(1)] }), result({ session: 'gone', skipped: 'no tool' })];
    printResults(results, sumUp(results), { out: (line) => lines.push(line), all: false, json: false });
    expect(lines[0]).toBe('many: 0/1');
    expect(lines[1]).toBe('  step 1: body.a: d0');
    expect(lines.slice(21)).toEqual([
      '  … and 5 more differences (--all shows them)',
      'cut: 1/3',
      '  not played: why (2 steps count as failed)',
      '!!! gone: SKIPPED, nothing was checked: no tool',
      '1 passed, 3 failed',
    ]);
  });

  it('prints one JSON document on request', () => {
    const lines: string[] = [];
    const results = [result({ steps: [step(1), step(2), step(3)] })];
    printResults(results, sumUp(results), { out: (line) => lines.push(line), all: false, json: true });
    expect(JSON.parse(lines.join('\n'))).toMatchObject({ passed: 3, failed: 0, results: [{ session: 's' }] });
  });
});
