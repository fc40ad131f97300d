import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-log';
import { chanceOf, type JsonObject } from '#libs/kernel';
import { ClusterState } from './cluster-state';
import { LogFold } from './log-fold';
import { FOLD_VERSION, restoreSnapshot, takeSnapshot, type Snapshot } from './snapshot';

const written = (state: ClusterState): Snapshot => JSON.parse(JSON.stringify(takeSnapshot(state))) as Snapshot;
const putBack = (state: ClusterState): ClusterState => restoreSnapshot('local', written(state))!;

/** Events of everything that a fold keeps, drawn from a seed: every append is one event. */
class RandomWorkload {
  private readonly chance;
  private readonly revisions = new Map<string, number>();
  private count = 0;

  constructor(seed: string) {
    this.chance = chanceOf(seed, 'workload');
  }

  next(): RecordedEvent {
    const pod = this.draw(12, 'pod');
    const [stream, type, data] = this.drawn(pod, `local.pods-default/p-${pod}`);
    const revision = (this.revisions.get(stream) ?? -1) + 1;
    this.revisions.set(stream, revision);
    const position = ++this.count * 16;
    return { id: `e-${this.count}`, stream, type, revision, position, created: 0, data, metadata: this.metadata(position) };
  }

  private drawn(pod: number, stream: string): [stream: string, type: string, data: JsonObject] {
    const uid = `uid-${pod}`;
    const shared = 'local.scheduler-decisions';
    const own = `${shared}/writer-${this.draw(2, 'writer')}`;
    const about = { namespace: 'default', pod: `p-${pod}`, uid };
    switch (this.draw(14, 'type')) {
      case 0:
      case 1:
        return [
          stream,
          'Created',
          { object: { metadata: { name: `p-${pod}`, namespace: 'default', uid, ...this.owners() }, spec: {}, status: {} } },
        ];
      case 2:
        return [stream, 'PodScheduled', { node: `node-${this.draw(3, 'node')}` }];
      case 3:
        return [stream, 'Updated', { changes: [{ p: ['metadata', 'ownerReferences'], v: this.owners().ownerReferences ?? [] }] }];
      case 4:
        return [stream, 'Deleted', {}];
      case 5:
        return [stream, 'PodPreempted', { preemptorUid: `uid-${this.draw(12, 'preemptor')}`, schedulerName: 's' }];
      case 6:
        return [shared, 'SchedulingAttempted', { ...about, outcome: 'unschedulable', message: `no room ${this.count}` }];
      case 7:
        return [own, 'PreemptionDecided', { ...about, victims: [], node: 'node-1' }];
      case 8:
        return [
          own,
          'ExtenderAsked',
          {
            ...about,
            ask: `ask-${this.draw(3, 'ask')}`,
            attempt: `a-${this.draw(2, 'attempt')}`,
            extender: 0,
            verb: 'filter',
            question: 'q',
          },
        ];
      case 9:
        return [own, 'ExtenderAnswered', { ...about, ask: `ask-${this.draw(3, 'ask')}`, answer: { body: {} } }];
      case 10:
        return ['local.admission-reviews/w', 'PodAdmissionRequested', { operation: 'CREATE', namespace: 'default', name: `p-${pod}` }];
      case 12:
        return [
          'local.kubelet-decisions/k',
          'Reported',
          { resource: 'pods', uid, component: 'kubelet', type: 'Warning', reason: 'BackOff', message: `m-${this.draw(2, 'message')}` },
        ];
      case 11:
        return ['local.admission-reviews/w', 'PodAdmitted', { review: `e-${this.draw(this.count + 1, 'review')}` }];
      default:
        return ['local.kubelet-decisions/k', ...this.nodeRecord()];
    }
  }

  private nodeRecord(): [type: string, data: JsonObject] {
    const node = `node-${this.draw(3, 'n')}`;
    switch (this.draw(6, 'record')) {
      case 0:
        return ['NodeHeartbeatStopped', { node }];
      case 1:
        return ['NodeHeartbeatResumed', { node }];
      case 2:
        return ['NodeLoadChanged', { node, memoryBytes: this.draw(3, 'memory'), diskBytes: 0 }];
      case 5: {
        const askedAt = this.count * 16;
        const about = { namespace: 'default', pod: `p-${this.draw(12, 'puller')}`, uid: `uid-${this.draw(12, 'puller')}` };
        const startsAt = askedAt + 10 * this.draw(2, 'wait');
        return ['ImagePullQueued', { node, ...about, container: 'app', image: 'app:1', askedAt, startsAt, tookMs: 1_000 }];
      }
      case 3:
        return ['KubeletRestarted', { node, reboot: this.draw(2, 'reboot') === 0 }];
      default:
        return ['RuntimeStateChanged', { node, runtime: 'down', killed: Array.from({ length: 12 }, (_, index) => `uid-${index}`) }];
    }
  }

  private owners(): { ownerReferences?: JsonObject[] } {
    const count = this.draw(3, 'owners');
    return count === 0
      ? {}
      : { ownerReferences: Array.from({ length: count }, (_, i) => ({ uid: `owner-${this.draw(3, `owner/${i}`)}`, name: 'o' })) };
  }

  private metadata(position: number): JsonObject {
    return { v: 1, time: position, i: 1, n: 1, digest: `d-${position}` };
  }

  private draw(bound: number, label: string): number {
    return this.chance.index(bound, `${this.count}/${label}`);
  }
}

describe('a snapshot', () => {
  it('is the state it was taken of, entry by entry and in the same order, also 200 appends later', () => {
    for (let seed = 0; seed < 40; seed++) {
      const workload = new RandomWorkload(String(seed));
      const state = new ClusterState('local');
      const fold = new LogFold(state);
      for (let i = 0; i < 50 + seed * 10; i++) fold.add(workload.next());
      const restored = putBack(state);
      expect(written(restored)).toEqual(written(state));
      const on = new LogFold(restored);
      for (let i = 0; i < 200; i++) {
        const event = workload.next();
        expect(JSON.stringify(on.add(event))).toEqual(JSON.stringify(fold.add(event)));
      }
      expect(written(restored)).toEqual(written(state));
    }
  });

  it('covers all that a fold keeps: every part is filled at some moment of a workload', () => {
    const state = new ClusterState('local');
    const workload = new RandomWorkload('all');
    const filled = new Set<string>();
    const note = (part: string, is: boolean): void => void (is && filled.add(part));
    for (let i = 0; i < 3_000; i++) {
      new LogFold(state).add(workload.next());
      const { indices, acts, dialogues, ...parts } = takeSnapshot(state);
      for (const [part, entries] of Object.entries({ ...parts, ...indices })) note(part, Array.isArray(entries) && entries.length > 1);
      note(
        'begun',
        acts.some(([, , begun]) => begun.length > 0),
      );
      note(
        'answered',
        dialogues.some(([, , questions]) => questions.some(([, { answer }]) => answer !== undefined)),
      );
    }
    const wanted = [
      'objects',
      'nodePods',
      'ownerDependents',
      'heads',
      'attempts',
      'pendingReviews',
      'nodeRecords',
      'killedSandboxes',
      'imagePulls',
      'begun',
      'answered',
    ];
    expect(wanted.filter((part) => !filled.has(part))).toEqual([]);
  });

  it('remembers the ids of a stream that several write to: what is sent again is not taken again', () => {
    const workload = new RandomWorkload('ids');
    const state = new ClusterState('local');
    const fold = new LogFold(state);
    const events = Array.from({ length: 100 }, () => workload.next());
    events.forEach((event) => fold.add(event));
    const attempted = events.find(({ type }) => type === 'SchedulingAttempted')!;
    const again = { ...attempted, position: 1_000_000, revision: 1_000 };
    const restored = putBack(state);
    expect(new LogFold(restored).add(again)).toEqual([]);
    expect(restored.decisions.attempts).toEqual(state.decisions.attempts);
  });

  it('shows no difference for a table that somebody has asked for', () => {
    const state = new ClusterState('local');
    state.table('pods');
    expect(written(state)).toEqual(written(new ClusterState('local')));
  });

  it('is not used by another version of the folds, for another cluster, or where something else is left out', () => {
    const snapshot = written(new ClusterState('local'));
    expect(restoreSnapshot('local', snapshot)).toBeDefined();
    expect(restoreSnapshot('other', snapshot)).toBeUndefined();
    expect(restoreSnapshot('local', { ...snapshot, foldVersion: FOLD_VERSION - 1 })).toBeUndefined();
    expect(restoreSnapshot('local', snapshot, { resources: ['leases'], streams: [] })).toBeUndefined();
  });
});
