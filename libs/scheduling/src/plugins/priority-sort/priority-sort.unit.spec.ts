import { describe, expect, it } from 'vitest';
import { makePod } from '../../cluster.fixture';
import { podInfoOf } from '../../framework/pod-info';
import { PrioritySort } from './priority-sort';

describe('PrioritySort', () => {
  const plugin = new PrioritySort();
  const queued = (priority: number | undefined, timestamp: number) => ({ info: podInfoOf(makePod('p', { priority })), timestamp });

  it('puts higher priority first', () => {
    expect(plugin.less(queued(10, 2), queued(5, 1))).toBe(true);
    expect(plugin.less(queued(5, 1), queued(10, 2))).toBe(false);
  });

  it('of equals puts first who came or failed earlier; a missing priority is 0', () => {
    expect(plugin.less(queued(undefined, 1), queued(0, 2))).toBe(true);
    expect(plugin.less(queued(0, 2), queued(undefined, 2))).toBe(false);
  });
});
