import { describe, expect, it } from 'vitest';
import { makeNode, makePod, scoresOf } from '../../cluster.fixture';
import { scoringOf } from './scoring-strategy';

const resources = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 3 },
];

describe('scoring of resources', () => {
  it('LeastAllocated: the free part in percent, weighted, truncated', () => {
    const score = scoringOf({ type: 'LeastAllocated', resources });
    expect(score([1500, 3], [4000, 8])).toBe(Math.trunc((62 + 3 * 62) / 4));
    expect(score([5000, 8], [4000, 8])).toBe(0);
    expect(score([1000, 5], [4000, 0])).toBe(75);
    expect(score([1, 1], [0, 0])).toBe(0);
  });

  it('MostAllocated: the used part, at most all of it', () => {
    const score = scoringOf({ type: 'MostAllocated', resources });
    expect(score([5000, 4], [4000, 8])).toBe(Math.trunc((100 + 3 * 50) / 4));
  });

  it('RequestedToCapacityRatio: a broken line; resources that score 0 do not count; rounded', () => {
    const shape = [
      { utilization: 0, score: 10 },
      { utilization: 50, score: 5 },
      { utilization: 100, score: 0 },
    ];
    const score = scoringOf({ type: 'RequestedToCapacityRatio', resources, requestedToCapacityRatio: { shape } });
    expect(score([0, 4], [4, 8])).toBe(Math.round((100 + 3 * 50) / 4));
    expect(score([8, 4], [4, 8])).toBe(50);
    expect(score([1, 1], [4, 4])).toBe(75);
  });

  it('counts containers that ask for nothing as 100m and 200Mi, in Fit alone', () => {
    // 4 CPU, 8 GiB, 1 CPU and 2 GiB in use: with the default request 72 and 72.
    const nodes = [makeNode('used'), makeNode('free')];
    const pods = [makePod('q', { nodeName: 'used', cpu: '1', memory: '2Gi' })];
    expect(scoresOf({ nodes, pods }, makePod('p'), 'NodeResourcesFit')).toEqual({ used: 72, free: 97 });
    expect(scoresOf({ nodes, pods }, makePod('p'), 'NodeResourcesBalancedAllocation')).toBeUndefined();
  });

  it('BalancedAllocation: fractions 0.375 and 0.375 give 100, 0.5 and 0.25 give 87', () => {
    const nodes = [makeNode('even'), makeNode('uneven')];
    const pods = [
      makePod('q', { nodeName: 'even', cpu: '1', memory: '2Gi' }),
      makePod('r', { nodeName: 'uneven', cpu: '1500m', memory: '1Gi' }),
    ];
    expect(scoresOf({ nodes, pods }, makePod('p', { cpu: '500m', memory: '1Gi' }), 'NodeResourcesBalancedAllocation')).toEqual({
      even: 100,
      uneven: 87,
    });
  });
});
