import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-log';
import { fact, type Fact } from '#libs/events';
import { derivedId, type JsonObject, type KubeObject, type ObjectKey } from '#libs/kernel';
import { ClusterState, type FoldedAppend } from '../cluster-state';
import type { VersionedChange } from '../change-history';
import { derivedMax, EventReports, eventTtlMs, type KeptReport } from './event-reports';
import type { ReportContext } from './report';

const start = Date.UTC(2026, 0, 1);

/** A cluster, its reports, and a pen to write its log with. */
class Fixture {
  readonly cluster = new ClusterState('local');
  readonly context: ReportContext = {
    kindOf: (resource) =>
      resource === 'replicasets.apps' ? { apiVersion: 'apps/v1', kind: 'ReplicaSet' } : { apiVersion: 'v1', kind: 'Pod' },
  };
  reports = new EventReports(this.context);
  private position = 0;
  now = start;

  append(stream: string, facts: readonly Fact[], actor = 'scheduler'): VersionedChange[] {
    const events = facts.map((one, index): RecordedEvent => {
      this.position += 16;
      const metadata = { actor, time: this.now, i: index + 1, n: facts.length, v: 1, writer: 'w', digest: 'd', $correlationId: 'c' };
      return {
        id: derivedId(`${this.position}`),
        type: one.type,
        data: one.data,
        metadata,
        stream,
        revision: this.position,
        position: this.position,
        created: 0,
      };
    });
    return this.reports.apply(this.cluster.apply(events) as FoldedAppend, this.cluster);
  }

  pod(name: string): VersionedChange[] {
    return this.append(`local.pods-default/${name}`, [fact('Created', { object: pod(name) })], 'user:admin');
  }
}

function pod(name: string): KubeObject {
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { containers: [{ name: 'app' }], initContainers: [{ name: 'prepare' }], nodeName: 'node-1', schedulerName: 'default-scheduler' },
    status: {},
  };
}

function attempted(message?: string, pod = 'web'): Fact {
  return fact('SchedulingAttempted', { namespace: 'default', pod, uid: `uid-${pod}`, outcome: 'unschedulable', message });
}

function kubeletTold(pod: string): Fact {
  const about = { resource: 'pods', namespace: 'default', name: pod, uid: `uid-${pod}` };
  return fact('Reported', { ...about, type: 'Normal', reason: 'Killing', message: 'Stopping container app', component: 'kubelet' });
}

describe('reports of the node controller', () => {
  it('tells once that a node is registered: when the taint of a new node goes', () => {
    const fixture = new Fixture();
    const stream = 'local.nodes-node-1';
    const node = (...taints: object[]): KubeObject =>
      ({
        metadata: { name: 'node-1', uid: 'uid-node-1', creationTimestamp: '2026-01-01T00:00:00Z' },
        spec: { taints },
      }) as unknown as KubeObject;
    const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
    const update = (...taints: JsonObject[]): VersionedChange[] =>
      fixture.append(
        stream,
        [fact('Updated', { patch: [{ op: 'replace', path: '/spec/taints', value: taints }] })],
        'node-lifecycle-controller',
      );
    fixture.append(stream, [fact('Created', { object: node(notReady) })], 'user:admin');
    const [change, ...more] = update();
    expect(more).toEqual([]);
    expect(change?.object).toMatchObject({
      metadata: { namespace: 'default' },
      involvedObject: { kind: 'Node', name: 'node-1', uid: 'uid-node-1' },
      reason: 'RegisteredNode',
      message: 'Node node-1 event: Registered Node node-1 in Controller',
      source: { component: 'node-controller' },
    });
    expect(update({ ...notReady, timeAdded: '2026-01-01T00:01:00Z' })).toEqual([]);
    expect(update()).toEqual([]);
  });
});

describe('reports of the scheduler', () => {
  it('tells of a binding as an Event of events.k8s.io would', () => {
    const fixture = new Fixture();
    fixture.pod('web');
    const [change] = fixture.append('local.pods-default/web', [fact('PodScheduled', { node: 'node-1' })]);
    expect(change).toMatchObject({ type: 'ADDED', position: 31 });
    expect(change?.object).toMatchObject({
      metadata: { namespace: 'default', resourceVersion: '31' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'web', uid: 'uid-web', apiVersion: 'v1', resourceVersion: '16' },
      reason: 'Scheduled',
      message: 'Successfully assigned default/web to node-1',
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: '2026-01-01T00:00:00.000000Z',
      action: 'Binding',
      reportingComponent: 'default-scheduler',
    });
    expect(change?.object.metadata.name).toMatch(/^web\.[0-9a-f]{16}$/);
    expect(change?.object.count).toBeUndefined();
  });

  it("leaves a client's own binding to the client", () => {
    const fixture = new Fixture();
    fixture.pod('web');
    expect(fixture.append('local.pods-default/web', [fact('PodScheduled', { node: 'node-1' })], 'user:admin')).toEqual([]);
  });

  it('counts repeated failures as a series of the first, whatever is said, for as long as the object stays as it is', () => {
    const fixture = new Fixture();
    fixture.pod('web');
    const [first] = fixture.append('local.scheduler-decisions', [attempted('0/1 nodes are available')]);
    fixture.now += 1000;
    const [second] = fixture.append('local.scheduler-decisions', [attempted()]);
    const [third] = fixture.append('local.scheduler-decisions', [attempted('0/2 nodes are available')]);
    expect(second).toMatchObject({
      type: 'MODIFIED',
      key: first?.key,
      object: { series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' } },
    });
    expect(third).toMatchObject({
      type: 'MODIFIED',
      key: first?.key,
      object: { message: '0/1 nodes are available', series: { count: 3 } },
    });
    fixture.append('local.pods-default/web', [fact('StatusUpdated', { patch: [{ op: 'add', path: '/status/phase', value: 'Pending' }] })]);
    const [fourth] = fixture.append('local.scheduler-decisions', [attempted('0/2 nodes are available')]);
    expect(fourth).toMatchObject({ type: 'ADDED', object: { reason: 'FailedScheduling', message: '0/2 nodes are available' } });
  });

  it('cuts a long message to 1024 bytes', () => {
    const fixture = new Fixture();
    const [change] = fixture.append('local.scheduler-decisions', [attempted('x'.repeat(2000))]);
    expect(change?.object.message).toHaveLength(1024);
    expect(change?.object.message.endsWith(' ...')).toBe(true);
  });

  it('names the preemptor on its victim', () => {
    const fixture = new Fixture();
    fixture.pod('web');
    const [change] = fixture.append('local.pods-default/web', [
      fact('PodPreempted', {
        node: 'node-1',
        preemptor: 'other/high',
        preemptorUid: 'uid-high',
        act: 'a',
        schedulerName: 'default-scheduler',
      }),
    ]);
    expect(change?.object).toMatchObject({
      reason: 'Preempted',
      message: 'Preempted by pod uid-high on node node-1',
      related: { kind: 'Pod', namespace: 'other', name: 'high', uid: 'uid-high' },
    });
  });
});

describe('reports of the kubelet and of controllers', () => {
  it('gives several reports of one event a version each, below its position and in order', () => {
    const fixture = new Fixture();
    fixture.pod('web');
    const changes = fixture.append(
      'local.pods-default/web',
      [fact('ContainerStarted', { container: 'prepare', image: 'busybox' })],
      'kubelet',
    );
    expect(changes.map(({ position, object }) => [position, object.reason, object.message])).toEqual([
      [29, 'Pulled', 'Container image "busybox" already present on machine'],
      [30, 'Created', 'Created container: prepare'],
      [31, 'Started', 'Started container prepare'],
    ]);
    expect(changes[0]?.object).toMatchObject({
      involvedObject: { fieldPath: 'spec.initContainers{prepare}' },
      source: { component: 'kubelet', host: 'node-1' },
      count: 1,
      eventTime: null,
      reportingInstance: 'node-1',
    });
    expect(new Set(changes.map(({ key }) => key)).size).toBe(3);
  });

  it('counts core Events up', () => {
    const fixture = new Fixture();
    const created = fact('Reported', {
      resource: 'replicasets.apps',
      namespace: 'default',
      name: 'rs',
      uid: 'u',
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: 'Created pod: x',
      component: 'replicaset-controller',
    });
    fixture.append('local.controller-decisions', [created]);
    fixture.now += 60_000;
    const [again] = fixture.append('local.controller-decisions', [created]);
    expect(again?.object).toMatchObject({
      involvedObject: { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
      count: 2,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:01:00Z',
    });
  });

  it('has what a kubelet tells after it began anew as another Event, also when it is put back from a file', () => {
    const fixture = new Fixture();
    fixture.pod('web');
    const tell = (): VersionedChange | undefined => fixture.append('local.kubelet-decisions', [kubeletTold('web')], 'kubelet')[0];
    const first = tell()?.key;
    fixture.append('local.kubelet-decisions', [fact('KubeletRestarted', { node: 'node-2' })], 'user:admin');
    expect(tell()).toMatchObject({ type: 'MODIFIED', key: first, object: { count: 2 } });
    fixture.append('local.kubelet-decisions', [fact('KubeletRestarted', { node: 'node-1' })], 'user:admin');
    const kept = [...fixture.reports.table.objects.keys()].map((key) => [key, fixture.reports.kept(key)] as [ObjectKey, KeptReport]);
    fixture.reports = EventReports.restored(fixture.context, kept, []);
    const again = tell();
    expect(again).toMatchObject({ type: 'ADDED', object: { count: 1 } });
    expect(again?.key).not.toBe(first);
    fixture.now += eventTtlMs - 1;
    expect(tell()).toMatchObject({ type: 'MODIFIED', key: again?.key, object: { count: 2 } });
  });
});

describe('the life of Events', () => {
  it('ends an hour after they were written last', () => {
    const fixture = new Fixture();
    fixture.append('local.scheduler-decisions', [attempted('no room')]);
    expect(fixture.reports.nextExpiry()).toBe(start + eventTtlMs);
    fixture.now += eventTtlMs / 2;
    fixture.append('local.scheduler-decisions', [attempted()]);
    expect(fixture.reports.expire(start + eventTtlMs, 99)).toEqual([]);
    expect(fixture.reports.expire(fixture.now + eventTtlMs, 99)).toMatchObject([
      { type: 'DELETED', position: 99, object: { metadata: { resourceVersion: '99' } } },
    ]);
    expect(fixture.reports.table.objects.size).toBe(0);
    expect(fixture.reports.nextExpiry()).toBeUndefined();
  });

  it('ends with the next append at the latest, before what that brings', () => {
    const fixture = new Fixture();
    fixture.append('local.scheduler-decisions', [attempted('no room')]);
    fixture.now += eventTtlMs;
    const changes = fixture.append('local.scheduler-decisions', [attempted('still no room')]);
    expect(changes.map(({ type, position }) => [type, position])).toEqual([
      ['DELETED', 17],
      ['ADDED', 31],
    ]);
  });

  it('keeps no more than it may, and drops the oldest', () => {
    const fixture = new Fixture();
    let last: VersionedChange[] = [];
    for (let i = 0; i <= derivedMax; i++) last = fixture.append('local.scheduler-decisions', [attempted(`message ${i}`, `web-${i}`)]);
    expect(last.map(({ type, object }) => [type, object.message])).toEqual([
      ['DELETED', 'message 0'],
      ['ADDED', `message ${derivedMax}`],
    ]);
    expect(fixture.reports.table.objects.size).toBe(derivedMax);
  });

  it("becomes the client's when a client writes to it", () => {
    const fixture = new Fixture();
    const [added] = fixture.append('local.scheduler-decisions', [attempted('no room')]);
    const { object } = added as VersionedChange;
    const stream = `local.events-default/${object.metadata.name}`;
    expect(fixture.append(stream, [fact('Created', { object })], 'user:admin')).toMatchObject([{ type: 'MODIFIED', position: 32 }]);
    expect(fixture.reports.isDerived(`default/${object.metadata.name}`)).toBe(false);
    expect(fixture.append(stream, [fact('Deleted', {})], 'user:admin')).toMatchObject([{ type: 'DELETED', position: 48 }]);
    expect(fixture.reports.table.objects.size).toBe(0);
    expect(fixture.append('local.scheduler-decisions', [attempted()])).toMatchObject([{ type: 'ADDED' }]);
  });

  it('names stored events whose time has come', () => {
    const fixture = new Fixture();
    const object = { metadata: { name: 'e', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' }, reason: 'R' };
    fixture.append('local.events-default/e', [fact('Created', { object })], 'user:admin');
    expect(fixture.reports.storedBefore(start + eventTtlMs - 1)).toEqual([]);
    expect(fixture.reports.storedBefore(start + eventTtlMs)).toMatchObject([{ metadata: { name: 'e' } }]);
  });
});
