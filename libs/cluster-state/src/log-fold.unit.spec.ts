import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-log';
import { TornAppendError } from './append-grouper';
import { ClusterState } from './cluster-state';
import { LogFold } from './log-fold';

const object = { metadata: { name: 'web', namespace: 'default', uid: 'u' }, spec: {}, status: {} };

function events(...descriptions: [type: string, data: object, metadata: object][]): RecordedEvent[] {
  return descriptions.map(([type, data, metadata], index) => ({
    id: `e${index}`,
    type,
    stream: 'local.pods-default/web',
    revision: index,
    position: (index + 1) * 16,
    created: 0,
    data: data as RecordedEvent['data'],
    metadata: { v: 1, time: 1_000, ...metadata } as RecordedEvent['metadata'],
  }));
}

const deletion = events(
  ['Created', { object }, { i: 1, n: 1 }],
  ['DeletionRequested', { deletionTimestamp: '2026-01-01T00:00:00Z' }, { i: 1, n: 2, frame: 1 }],
  ['Deleted', {}, { i: 2, n: 2, frame: 2 }],
);

describe('the fold of a log', () => {
  it('folds an append when it is whole, frame by frame, each with its own version', () => {
    const fold = new LogFold(new ClusterState('local'));
    const folded = deletion.map((event) => fold.add(event));
    expect(folded.map((frames) => frames?.map(({ change }) => [change?.type, change?.object.metadata.resourceVersion]))).toEqual([
      [['ADDED', '16']],
      undefined,
      [
        ['MODIFIED', '32'],
        ['DELETED', '48'],
      ],
    ]);
  });

  it('stops between two frames where it is asked to', () => {
    const fold = new LogFold(new ClusterState('local'), { until: 32 });
    for (const event of deletion) fold.add(event);
    expect(fold.state.get('pods', 'default', 'web')?.metadata.deletionTimestamp).toBe('2026-01-01T00:00:00Z');
  });

  it('says where an append without its end is, and where one without its beginning', () => {
    const [created, requested, deleted] = deletion as [RecordedEvent, RecordedEvent, RecordedEvent];
    const unfinished = new LogFold(new ClusterState('local'));
    unfinished.add(created);
    unfinished.add(requested);
    expect(() => unfinished.end()).toThrow('the append to local.pods-default/web at position 32 is not whole: 1 of 2 events are there');
    expect(() => unfinished.add({ ...created, stream: 'local.pods-default/other', position: 48 })).toThrow(TornAppendError);
    const headless = new LogFold(new ClusterState('local'));
    headless.add(created);
    expect(() => headless.add(deleted)).toThrow('it begins with event 2 of 2');
  });

  it('leaves a torn append out where somebody is told of it, and goes on', () => {
    const [created, requested] = deletion as [RecordedEvent, RecordedEvent];
    const torn: number[] = [];
    const fold = new LogFold(new ClusterState('local'), { onTorn: ({ event }) => void torn.push(event.position) });
    fold.add(created);
    fold.add(requested);
    expect(fold.add({ ...created, stream: 'local.pods-default/other', position: 48 })).toHaveLength(1);
    expect(torn).toEqual([32]);
  });
});
