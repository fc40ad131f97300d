import { describe, expect, it } from 'vitest';
import type { EventData } from '#libs/events';
import { loadWords, pressureWords, rankingLines } from './eviction-words';

const evicted = (more: Partial<EventData<'PodEvictedByKubelet'>>): EventData<'PodEvictedByKubelet'> => ({
  node: 'node-1',
  namespace: 'web',
  pod: 'far',
  uid: 'u',
  at: 0,
  graceSeconds: 1,
  reason: 'Evicted',
  message: '',
  ...more,
});
const pod = (name: string, usage: number | undefined, request: number, priority: number, more: object = {}) => ({
  namespace: 'web',
  name,
  priority,
  ...(usage === undefined ? {} : { usage }),
  request,
  ...more,
});
const mebibyte = 1_048_576;

describe('the ranking behind an eviction', () => {
  it('has a line for each pod in the order of eviction, and says by what it stands there; the victim is marked', () => {
    const ranking = [
      pod('new', undefined, 0, 0),
      pod('far', 400 * mebibyte, 100 * mebibyte, 0),
      pod('near', 150 * mebibyte, 100 * mebibyte, 5),
      pod('system', 50 * mebibyte, 0, 2_000_001_000, { isCritical: true }),
      pod('within', 100 * mebibyte, 200 * mebibyte, 0),
    ];
    expect(rankingLines(evicted({ resource: 'memory', ranking }))).toEqual([
      '  web/new     nothing can be measured yet, priority 0',
      '→ web/far     over its request by 300Mi (uses 400Mi of 100Mi), priority 0',
      '  web/near    over its request by 50Mi (uses 150Mi of 100Mi), priority 5',
      '  web/system  over its request by 50Mi (uses 50Mi of 0), priority 2000001000; critical: never evicted',
      '  web/within  within its request, by 100Mi (uses 100Mi of 200Mi), priority 0',
    ]);
  });

  it('counts files and processes, which nobody can ask for', () => {
    const ranking = [pod('far', 1_500, 0, 0)];
    expect(rankingLines(evicted({ resource: 'pids', ranking }))).toEqual(['→ web/far  uses 1500 pids, priority 0']);
    expect(rankingLines(evicted({ resource: 'inodes', ranking }))).toEqual(['→ web/far  uses 1500 inodes, priority 0']);
  });

  it('names twenty pods and counts the others', () => {
    const ranking = Array.from({ length: 23 }, (_, index) => pod(`p${index}`, 1, 0, 0));
    const lines = rankingLines(evicted({ resource: 'memory', ranking }));
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe('  … and 3 more');
  });
});

it('what a node is short of is told in its unit, and what it shows', () => {
  const told = (threshold: string, available: number, isRipe = true): string => {
    const conditions = [{ type: 'PIDPressure', lastObserved: 0 }];
    return pressureWords({ node: 'node-1', at: 0, met: [{ threshold, since: 0, available, ...(isRipe ? { isRipe } : {}) }], conditions });
  };
  expect(told('memory.available<500Mi', 396 * mebibyte)).toBe(
    'node node-1 is short: memory.available<500Mi (396Mi left); it shows PIDPressure',
  );
  expect(told('pid.available<1k for 15s', 1_024, false)).toContain('pid.available<1k for 15s (1024 left; its grace runs)');
  expect(told('nodefs.inodesFree<5%', 2_048)).toContain('nodefs.inodesFree<5% (2048 left)');
});

it('what others take of a node is told as far as it is said', () => {
  const load = { node: 'node-1', memoryBytes: 1, diskBytes: 2 };
  expect(loadWords(load)).toBe('others than pods take 1 bytes of memory and 2 of disk on node node-1');
  expect(loadWords({ ...load, pids: 3 })).toBe('others than pods take 1 bytes of memory, 2 of disk and 3 pids on node node-1');
});
