import { describe, expect, it } from 'vitest';
import { makePod } from '../../cluster.fixture';
import { podInfoOf } from '../../framework/pod-info';
import { SchedulingGates } from './scheduling-gates';

describe('SchedulingGates', () => {
  const plugin = new SchedulingGates();

  it('holds a pod back while it names gates, and lists them', () => {
    const pod = makePod('p', { schedulingGates: [{ name: 'a' }, { name: 'b' }] });
    expect(plugin.preEnqueue(podInfoOf(pod))).toMatchObject({
      code: 'UnschedulableAndUnresolvable',
      reasons: ['waiting for scheduling gates: [a b]'],
    });
  });

  it('lets a pod without gates go', () => {
    expect(plugin.preEnqueue(podInfoOf(makePod('p')))).toBeUndefined();
    expect(plugin.preEnqueue(podInfoOf(makePod('p', { schedulingGates: [] })))).toBeUndefined();
  });
});
