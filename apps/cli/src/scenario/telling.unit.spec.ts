import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { nodeLayout, podTable } from './layout';
import { broken, Teller } from './teller';

function tell(run: (teller: Teller, clock: { now: number }) => void): string[] {
  const lines: string[] = [];
  const clock = { now: 0 };
  run(
    new Teller(
      (line) => void lines.push(line),
      () => clock.now,
    ),
    clock,
  );
  return lines;
}

describe('a teller', () => {
  it('gives the time when it has moved on, and a mark for who speaks', () => {
    const lines = tell((teller, clock) => {
      teller.story('A pod.');
      teller.action('apply Pod a');
      clock.now = 2_500;
      teller.check(true, 'pod/a: node node-1');
      teller.check(false, 'pod/a: phase Pending, not Running');
    });
    expect(lines).toEqual([
      '    0.0s  A pod.',
      '          $ apply Pod a',
      '    2.5s  ✓ pod/a: node node-1',
      '          ✗ pod/a: phase Pending, not Running',
    ]);
  });

  it('joins what happened alike at one moment, and tells each thing at its own time', () => {
    const bound = { before: 'bound:' };
    const lines = tell((teller, clock) => {
      clock.now = 9_000;
      teller.happened([
        { at: 1_000, group: bound, text: 'a → node-1' },
        { at: 1_000, group: { before: 'pending:', after: ': no room' }, text: 'c' },
        { at: 1_000, group: bound, text: 'b → node-2' },
        { at: 1_000, text: 'd preempts a' },
        { at: 1_000, group: bound, text: 'e → node-1' },
        { at: 2_000, group: bound, text: 'f → node-1' },
      ]);
    });
    expect(lines).toEqual([
      '    1.0s  · bound: a → node-1, b → node-2',
      '          · pending: c: no room',
      '          · d preempts a',
      '          · bound: e → node-1',
      '    2.0s  · bound: f → node-1',
    ]);
  });

  it('breaks long lines below their beginning', () => {
    const [first, second] = tell((teller) => teller.action(`apply ${'Pod abcdefgh, '.repeat(10)}`));
    expect(first!.length).toBeLessThanOrEqual(110);
    expect(second).toMatch(/^ {12}\S/);
    expect(broken('one two\nthree', 7)).toEqual(['one two', 'three']);
  });
});

describe('the layout', () => {
  const pod = (name: string, node: string | undefined, ready: boolean, metadata: object = {}): KubeObject =>
    ({
      metadata: { name, ...metadata },
      spec: { nodeName: node, priority: 7 },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
    }) as never;
  const nodes = [
    { metadata: { name: 'node-1' }, spec: { unschedulable: true } },
    { metadata: { name: 'node-2' }, spec: {} },
  ] as never;

  it('shows pods by node, in the words of the disruptions guide', () => {
    const pods = [
      pod('web-5d4f-x', 'node-1', true, { labels: { 'pod-template-hash': '5d4f' }, deletionTimestamp: 'now' }),
      pod('b', 'node-2', true),
      pod('c', 'node-2', false),
      pod('d', undefined, false),
    ];
    expect(nodeLayout(nodes, pods)).toEqual([
      'node-1 (cordoned)      node-2         no node',
      'web-…-x  terminating   b  available   d  pending',
      '                       c  starting',
    ]);
    expect(podTable(pods.slice(1, 2))).toEqual(['NAME   PRIORITY   STATE       NODE', 'b      7          available   node-2']);
  });
});
