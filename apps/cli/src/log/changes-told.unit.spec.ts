import { describe, expect, it } from 'vitest';
import { changesTold } from './changes-told';

describe('an update in a line of the log', () => {
  it('tells conditions by what they say now, values of one word, and places of others', () => {
    const conditions = [
      { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message: 'a long story' },
      { type: 'Progressing', lastUpdateTime: '2026-01-01T00:00:00Z', message: 'as long' },
    ];
    const patch = [
      { op: 'replace', path: '/status/readyReplicas', value: 2 },
      { op: 'remove', path: '/status/unavailableReplicas' },
      { op: 'add', path: '/metadata/annotations/example.com~1note', value: 'some words' },
      { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/hold' },
    ];
    expect(changesTold({ conditions, patch })).toBe(
      'Available=False (MinimumReplicasUnavailable), Progressing.lastUpdateTime+message, readyReplicas=2, -unavailableReplicas, ' +
        'metadata.annotations.example.com/note, metadata.finalizers[]=example.com/hold',
    );
  });

  it('tells what version 0.1.0 wrote', () => {
    expect(changesTold({ changes: [{ p: ['status', 'phase'], v: 'Failed' }, { p: ['spec', 'taints'] }] })).toBe(
      'phase=Failed, -spec.taints',
    );
  });
});
