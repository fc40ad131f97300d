import { describe, expect, it } from 'vitest';
import { shares } from './shares';

const frame = (id: number, functionName: string, url: string, children: number[] = []) => ({
  id,
  children,
  callFrame: { functionName, url, scriptId: '0', lineNumber: 0, columnNumber: 0 },
});

const nodes = [
  frame(1, '(root)', '', [2, 5, 6, 7]),
  frame(2, 'look', '/project/libs/kubelet/src/look.ts', [3, 4]),
  frame(3, 'hash', 'node:crypto'),
  frame(4, 'jsonEqual', 'file:///project/libs/kernel/src/json.ts'),
  frame(5, '(idle)', ''),
  frame(6, '(garbage collector)', ''),
  frame(7, 'processImmediate', 'node:internal/timers'),
];

describe('shares of a profile', () => {
  it('are those of the busy time, by library; what Node does for one counts as its own', () => {
    expect(shares({ nodes, samples: [2, 3, 3, 4, 5, 5, 5, 6, 7, 2] })).toEqual([
      { part: 'libs/kubelet', percent: (4 / 7) * 100 },
      { part: 'libs/kernel', percent: (1 / 7) * 100 },
      { part: 'garbage collection', percent: (1 / 7) * 100 },
      { part: 'Node itself', percent: (1 / 7) * 100 },
    ]);
  });

  it('of nothing are none', () => {
    expect(shares({ nodes, samples: [5, 1] })).toEqual([]);
  });
});
