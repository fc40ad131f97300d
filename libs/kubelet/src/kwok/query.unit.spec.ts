import { expect, it } from 'vitest';
import { found, QueryError } from './query';

const pod = {
  metadata: { annotations: { 'a.b/c': '5s' }, ownerReferences: [{ kind: 'Job' }, { kind: 'Other' }] },
  status: {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Initialized', status: 'False' },
    ],
    containerStatuses: [{ state: { running: { startedAt: 'then' } } }, { state: {} }],
  },
};

it.each<[query: string, found: unknown[]]>([
  ['.status.phase', ['Running']],
  ['.status.absent.deeper', []],
  ['.metadata.annotations["a.b/c"]', ['5s']],
  ['.metadata.annotations.["a.b/c"]', ['5s']],
  ['.metadata.ownerReferences.[].kind', ['Job', 'Other']],
  ['.metadata.ownerReferences[].kind', ['Job', 'Other']],
  ['.status.conditions.[] | select( .type == "Ready" ) | .status', ['True']],
  ['.status.conditions.[] | select( .type != "Ready" ) | .type', ['Initialized']],
  ['.status.containerStatuses.[].state.running.startedAt', ['then']],
  ['.', [pod]],
])('%s', (query, expected) => {
  expect(found(query, pod)).toEqual(expected);
});

it.each(['phase', '.a b', 'select(.a)', '.a | length', ''])('is not understood: %s', (query) => {
  expect(() => found(query, pod)).toThrow(QueryError);
});
