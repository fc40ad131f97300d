import { describe, expect, it } from 'vitest';
import { ClusterState } from '#libs/cluster-state';
import type { DecisionContext, Reconciliation } from '#libs/control-loop';
import type { RecordedEvent } from '#libs/event-log';
import type { JsonObject } from '#libs/kernel';
import { priorityReviewer } from './priority-reviewer';

const context = { now: 0, decision: 'priority-admission/1/0', ordinal: 0 } as DecisionContext;

/** A cluster with PriorityClasses, to which reviews are put. */
class Reviewed {
  readonly cluster = new ClusterState('local');
  private position = 0;

  constructor(classes: Record<string, JsonObject>) {
    for (const [name, fields] of Object.entries(classes)) {
      this.fold(`local.priorityclasses.scheduling.k8s.io-${name}`, 'Created', {
        object: { metadata: { name, uid: name, creationTimestamp: '' }, ...fields },
      });
    }
  }

  fold(stream: string, type: string, data: JsonObject): string {
    const position = ++this.position;
    const id = `event-${position}`;
    const metadata = { $correlationId: `correlation-${position}`, time: 0, i: 1, n: 1, digest: '' };
    this.cluster.apply([{ id, type, stream, data, metadata, position, revision: 0 } as unknown as RecordedEvent]);
    return id;
  }

  ask(type: string, data: JsonObject): Reconciliation | undefined {
    return priorityReviewer.reconcile(this.cluster, undefined, this.fold('local.admission-reviews', type, data), context);
  }

  pod(fields: JsonObject): JsonObject {
    const found = this.ask('PodAdmissionRequested', { operation: 'CREATE', namespace: 'web', name: 'pod', ...fields });
    const record = found?.records?.[0];
    if (!record) throw new Error('no answer');
    return record.type === 'PodRejected' ? { rejected: (record.data.status as JsonObject).message } : record.data;
  }

  priorityClass(fields: JsonObject): JsonObject {
    const found = this.ask('PriorityClassAdmissionRequested', { operation: 'CREATE', value: 1, globalDefault: false, ...fields });
    const record = found?.records?.[0];
    return { type: record?.type, status: record?.data.status };
  }
}

const high = { value: 1_000_000, preemptionPolicy: 'PreemptLowerPriority' };
const never = { value: 500, preemptionPolicy: 'Never' };
const computed = (value: number | string): string =>
  `must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;

describe('priority of new pods', () => {
  it('comes from the class', () => {
    const reviewed = new Reviewed({ high, never });
    expect(reviewed.pod({ priorityClassName: 'high' })).toMatchObject({
      priorityClassName: 'high',
      priority: 1_000_000,
      preemptionPolicy: 'PreemptLowerPriority',
    });
    expect(reviewed.pod({ priorityClassName: 'never', preemptionPolicy: 'Never', priority: 500 })).toMatchObject({
      priority: 500,
      preemptionPolicy: 'Never',
    });
  });

  it('is 0 with no class when there is no default, the default class otherwise', () => {
    const none = new Reviewed({ high }).pod({});
    expect(none).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    expect(none).not.toHaveProperty('priorityClassName');
    expect(new Reviewed({ def: { value: 77, globalDefault: true } }).pod({})).toMatchObject({ priorityClassName: 'def', priority: 77 });
  });

  it('takes the lowest of several defaults', () => {
    const reviewed = new Reviewed({
      b: { value: 9, globalDefault: true },
      a: { value: 7, globalDefault: true },
      c: { value: 8, globalDefault: true },
    });
    expect(reviewed.pod({})).toMatchObject({ priorityClassName: 'a', priority: 7 });
  });

  it('refuses an unknown class, a different integer and a different policy', () => {
    const reviewed = new Reviewed({ high, never });
    expect(reviewed.pod({ priorityClassName: 'nope', priority: 5 }).rejected).toBe(
      'pods "pod" is forbidden: no PriorityClass with name nope was found',
    );
    expect(reviewed.pod({ priorityClassName: 'high', priority: 5 }).rejected).toBe(
      `pods "pod" is forbidden: the integer value of priority (5) ${computed(1_000_000)}`,
    );
    expect(reviewed.pod({ preemptionPolicy: 'Never' }).rejected).toBe(
      `pods "pod" is forbidden: the string value of PreemptionPolicy (Never) ${computed('PreemptLowerPriority')}`,
    );
    expect(reviewed.pod({ priorityClassName: '__proto__' }).rejected).toContain('no PriorityClass');
  });

  it('is kept by updates', () => {
    expect(new Reviewed({}).pod({ operation: 'UPDATE', priorityClassName: 'gone', priority: 9 })).toMatchObject({
      priorityClassName: 'gone',
      priority: 9,
    });
  });
});

describe('the global default', () => {
  const reviewed = new Reviewed({ def: { value: 77, globalDefault: true }, high });

  it('is one class at most', () => {
    expect(reviewed.priorityClass({ name: 'def2', globalDefault: true })).toEqual({
      type: 'PriorityClassRejected',
      status: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'priorityclasses.scheduling.k8s.io "def2" is forbidden: PriorityClass def is already marked as default. Only one default can exist',
        reason: 'Forbidden',
        details: { name: 'def2', group: 'scheduling.k8s.io', kind: 'priorityclasses' },
        code: 403,
      },
    });
    expect(reviewed.priorityClass({ operation: 'UPDATE', name: 'high', globalDefault: true }).type).toBe('PriorityClassRejected');
  });

  it('stays what it is', () => {
    expect(reviewed.priorityClass({ operation: 'UPDATE', name: 'def', globalDefault: true }).type).toBe('PriorityClassAdmitted');
    expect(reviewed.priorityClass({ name: 'other' }).type).toBe('PriorityClassAdmitted');
  });
});

describe('reviews', () => {
  it('are answered once, by their cause, and only those of this app', () => {
    const reviewed = new Reviewed({});
    const id = reviewed.fold('local.admission-reviews', 'PodAdmissionRequested', { operation: 'CREATE', namespace: 'web', name: 'pod' });
    reviewed.fold('local.eviction-reviews', 'EvictionRequested', { namespace: 'web', pod: 'pod', options: {} });
    expect([...priorityReviewer.allSubjects(undefined, reviewed.cluster)]).toEqual([id]);
    const found = priorityReviewer.reconcile(reviewed.cluster, undefined, id, context);
    expect(found).toMatchObject({ steps: [], cause: { correlationId: 'correlation-1', causationId: id } });
    reviewed.fold('local.admission-reviews', 'PodAdmitted', { review: id, priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    expect(priorityReviewer.reconcile(reviewed.cluster, undefined, id, context)).toBeUndefined();
  });
});
