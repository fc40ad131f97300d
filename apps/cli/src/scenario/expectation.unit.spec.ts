import { describe, expect, it } from 'vitest';
import type { Json, KubeObject } from '#libs/kernel';
import { expectationsOf, matches, readField, shown, shownMet } from './expectation';
import type { ScenarioTarget } from './target';

const pod = (name: string, spec: object, status: object = {}, metadata: object = {}): KubeObject =>
  ({ metadata: { name, namespace: 'default', ...metadata }, spec, status }) as never;
const pods = [
  pod(
    'a',
    { nodeName: 'node-1', priority: 5 },
    { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    { labels: { app: 'web' } },
  ),
  pod('b', { nodeName: 'node-2' }, { phase: 'Running' }, { labels: { app: 'web' }, deletionTimestamp: '2026-01-01T00:00:00Z' }),
  pod(
    'c',
    {},
    {
      nominatedNodeName: 'node-2',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room at all' }],
    },
    { labels: { app: 'web' } },
  ),
];
const target = {
  get: ({ name }: { name: string }) => Promise.resolve(pods.find(({ metadata }) => metadata.name === name)),
  list: () => Promise.resolve(pods),
} as unknown as ScenarioTarget;
const read = (subject: string, field: string): Promise<Json> => readField({ subject, field, wanted: null }, target);

describe('an expectation', () => {
  it('is about fields of an object, by path or short name, and about its conditions', async () => {
    expect(await read('pod/a', 'spec.nodeName')).toBe('node-1');
    expect(await read('pod/a', 'node')).toBe('node-1');
    expect(await read('pod/c', 'nominated')).toBe('node-2');
    expect(await read('pod/c', 'condition.PodScheduled')).toBe('False');
    expect(await read('pod/c', 'message.PodScheduled')).toBe('no room at all');
    expect(await read('pod/c', 'condition.Ready')).toBeNull();
    expect(await read('pod/a', 'exists')).toBe(true);
    expect(await read('pod/x', 'exists')).toBe(false);
    expect(await read('pod/x', 'node')).toBeNull();
  });

  it('is about lists chosen by labels and fields', async () => {
    expect(await read('list pods app=web', 'count')).toBe(3);
    expect(await read('list pods app=web node=node-1', '')).toBe(1);
    expect(await read('list pods app=db', 'count')).toBe(0);
    expect(await read('list pods', 'running')).toBe(1);
    expect(await read('list pods', 'available')).toBe(1);
    expect(await read('list pods', 'terminating')).toBe(1);
    expect(await read('list pods', 'pending')).toBe(1);
    expect(await read('list pods app=web', 'node')).toEqual(['node-1', 'node-2', null]);
    await expect(read('foo/a', 'exists')).rejects.toThrow('"foo" is no kind kubereel knows');
  });

  it('wants a value, or says what it wants in words', () => {
    expect(matches('node-1', 'node-1')).toBe(true);
    expect(matches(null, 'none')).toBe(true);
    expect(matches('node-1', 'not node-2')).toBe(true);
    expect(matches(null, 'not none')).toBe(false);
    expect(matches('node-1', 'not none')).toBe(true);
    expect(matches('no room at all', '~ room')).toBe(true);
    expect(matches(null, '~ room')).toBe(false);
    expect(matches(3, 'at least 3')).toBe(true);
    expect(matches(3, 'at most 2')).toBe(false);
    expect(matches('False', false)).toBe(true);
    expect(matches([1, 2], [1, 2])).toBe(true);
    expect(matches(2, 3)).toBe(false);
  });

  it('is shown in few words', () => {
    const text = (subject: string, field: string, value: Json): string => shown({ subject, field, wanted: null }, value);
    expect(text('pod/a', 'node', null)).toBe('node none');
    expect(text('pod/a', 'exists', false)).toBe('does not exist');
    expect(text('pod/a', 'condition.Ready', 'True')).toBe('Ready True');
    expect(text('list pods', 'count', 2)).toBe('2');
    expect(text('list pods', 'running', 2)).toBe('2 running');
    expect(shownMet({ subject: 'pod/c', field: 'message.PodScheduled', wanted: '~ room' }, 'no room at all')).toBe(
      'PodScheduled message says "room"',
    );
    expect(expectationsOf({ 'pod/a': { node: 'none', phase: 'Pending' } })[0]?.expectations).toHaveLength(2);
  });
});
