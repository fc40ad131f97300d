import { describe, expect, it } from 'vitest';
import { GraceCheck } from './check-graces';

type Told = [type: string, time: number, data?: Record<string, string | number>, actor?: string];

function check(...told: Told[]): string[] {
  const graces = new GraceCheck();
  for (const [type, time, data = {}, actor = 'user:admin'] of told)
    graces.take({ stream: 'local.pods-default/a', type, data, metadata: { time, actor } });
  return graces.problems;
}

describe('the check of graces', () => {
  const request: Told = ['DeletionRequested', 10, { gracePeriodSeconds: 1 }];
  const ignoring: Told = ['Created', 0, { 'kubereel.dev/on-term': 'ignore' }];

  it('finds nothing where a kubelet deletes in time, or where nobody had bound the pod', () => {
    expect(check(ignoring, ['PodScheduled', 5], ['ContainerStarted', 6], request, ['Deleted', 1_010, {}, 'kubelet'])).toEqual([]);
    expect(check(['Created', 0], ['DeletionRequested', 5, { gracePeriodSeconds: 0 }], ['Deleted', 5])).toEqual([]);
  });

  it('finds a bound pod that somebody else deleted, or that nobody had asked for', () => {
    expect(check(['Created', 0], ['PodScheduled', 5], request, ['Deleted', 10])).toEqual([expect.stringMatching(/instead of its kubelet/)]);
    expect(check(['Created', 0], ['PodScheduled', 5], ['Deleted', 10])).toEqual([expect.stringMatching(/nobody had requested it/)]);
  });

  it('finds a grace that was cut short', () => {
    expect(check(ignoring, ['PodScheduled', 5], ['ContainerStarted', 6], request, ['Deleted', 900, {}, 'kubelet'])).toEqual([
      expect.stringMatching(/gone 110 ms before its grace of 1000 ms was over/),
    ]);
  });
});
