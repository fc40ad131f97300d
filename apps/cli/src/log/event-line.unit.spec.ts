import type { RecordedEvent } from '#libs/event-log';
import { describe, expect, it } from 'vitest';
import { eventLine } from './event-line';

function line(stream: string, type: string, data: object, actor = 'scheduler'): string {
  const metadata = { time: Date.UTC(2026, 0, 1, 12, 0, 1, 250), actor };
  return eventLine({ stream, type, data, metadata, position: 4128 } as unknown as RecordedEvent, 'local').replace(/ {2,}/g, '  ');
}

describe('a line of kubereel log', () => {
  it('names time, position, event, object and author, and what happened', () => {
    expect(line('local.pods-default/web-0', 'PodScheduled', { node: 'node-1' })).toBe(
      '12:00:01.250  4128  PodScheduled  pods default/web-0  scheduler  node=node-1',
    );
  });

  it('names the pod of a decision, which is in a stream of its own', () => {
    const data = { namespace: 'default', pod: 'high', uid: '1642b166', outcome: 'nominated', node: 'node-2' };
    expect(line('local.scheduler-decisions/all-1', 'SchedulingAttempted', data)).toBe(
      '12:00:01.250  4128  SchedulingAttempted  pods default/high  scheduler  outcome=nominated node=node-2',
    );
  });

  it('names the object of a report, and what it says', () => {
    const data = { resource: 'nodes', namespace: '', name: 'node-2', uid: '5283f646', type: 'Normal', reason: 'Starting' };
    expect(line('local.kubelet-decisions/all-1', 'Reported', data, 'kubelet')).toBe(
      '12:00:01.250  4128  Reported  nodes node-2  kubelet  type=Normal reason=Starting',
    );
  });

  it('says why an eviction was refused', () => {
    const status = {
      code: 429,
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: { causes: [{ reason: 'DisruptionBudget', message: 'The budget zero needs 3 healthy pods' }] },
    };
    const data = { review: 'a726', namespace: 'shop', pod: 'pay', status };
    expect(line('local.eviction-reviews/all-1', 'EvictionRefused', data, 'eviction')).toBe(
      '12:00:01.250  4128  EvictionRefused  pods shop/pay  eviction  status=The budget zero needs 3 healthy pods',
    );
  });

  it('leaves out names for programs, which JSON shows', () => {
    const data = { node: 'node-2', preemptor: 'default/high', preemptorUid: '1642b166', act: 'b3e63a23' };
    expect(line('local.pods-default/low', 'PodPreempted', data)).toBe(
      '12:00:01.250  4128  PodPreempted  pods default/low  scheduler  node=node-2 preemptor=default/high',
    );
  });
});
