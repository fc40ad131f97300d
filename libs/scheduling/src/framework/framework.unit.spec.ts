import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { makeNode, makePod } from '../cluster.fixture';
import { podUpdateEvents, nodeUpdateEvents } from '../queue/pod-update-events';
import type { RawContainer, RawPodSpec } from './kube-types';
import { ChangeLog } from './memo/change-log';
import { Memos } from './memo/memos';
import { NodeInfo } from './node-info';
import { podInfoOf } from './pod-info';
import { podRequests } from './pod-requests';
import { amountOf } from './resource';
import { compileLabelSelector, selectorMatches } from './selectors';

const container = (cpu: string | undefined, more: Partial<RawContainer> = {}): RawContainer => ({
  name: 'c',
  resources: { requests: cpu === undefined ? {} : { cpu } },
  ...more,
});
const sidecar = (cpu: string): RawContainer => container(cpu, { restartPolicy: 'Always' });
const cpuOf = (spec: RawPodSpec, status: object = {}): number => amountOf(podRequests(makePod('p', { ...spec, status })), 'cpu');

describe('what a pod asks for', () => {
  it.each([
    ['containers together', { containers: [container('1'), container('500m')] }, 1500],
    [
      'the peak of the init sequence if that is more',
      { containers: [container('1')], initContainers: [container('3'), container('2')] },
      3000,
    ],
    ['sidecars beside the containers', { containers: [container('1')], initContainers: [sidecar('2')] }, 3000],
    [
      'an init container beside the sidecars before it',
      { containers: [container('1')], initContainers: [sidecar('1'), container('3')] },
      4000,
    ],
    ['but not beside those after it', { containers: [container('1')], initContainers: [container('3'), sidecar('1')] }, 3000],
    ['overhead on top', { containers: [container('1')], overhead: { cpu: '250m' } }, 1250],
    [
      'pod-level requests in place of the sum',
      { containers: [container('1')], resources: { requests: { cpu: '2' } }, overhead: { cpu: '1' } },
      3000,
    ],
  ])('%s', (_rule, spec, expected) => {
    expect(cpuOf(spec)).toBe(expected);
  });

  it('is the most of wanted, allocated and running while a container is resized, unless that cannot be done', () => {
    const containerStatuses = [{ name: 'c', resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '3' } }];
    expect(cpuOf({ containers: [container('4')] }, { containerStatuses })).toBe(4000);
    expect(cpuOf({ containers: [container('1')] }, { containerStatuses })).toBe(3000);
    const conditions = [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }];
    expect(cpuOf({ containers: [container('4')] }, { containerStatuses, conditions })).toBe(3000);
  });

  it('counts as a little, container by container, where it asks for nothing', () => {
    const info = podInfoOf(makePod('p', { containers: [container('1'), container(undefined)] }));
    expect(info.requests).toMatchObject({ milliCpu: 1000, memory: 0 });
    expect(info).toMatchObject({ nonZeroMilliCpu: 1100, nonZeroMemory: 2 * 209715200 });
  });

  it('rounds sums up once, at the end', () => {
    const requests = { memory: '1500m' };
    const pod = makePod('p', {
      containers: [container(undefined, { resources: { requests } }), container(undefined, { resources: { requests } })],
    });
    expect(podInfoOf(pod).requests.memory).toBe(3);
  });
});

describe('label selectors', () => {
  it('select nothing when absent, everything when empty', () => {
    expect(selectorMatches(compileLabelSelector(undefined), {})).toBe(false);
    expect(selectorMatches(compileLabelSelector({}), {})).toBe(true);
  });

  it('do not take what objects inherit for labels', () => {
    const exists = compileLabelSelector({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] });
    expect(selectorMatches(exists, {})).toBe(false);
    expect(selectorMatches(exists, { constructor: 'x' })).toBe(true);
  });

  it('select nothing when malformed', () => {
    expect(selectorMatches(compileLabelSelector({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }), { a: '2' })).toBe(
      false,
    );
    expect(selectorMatches(compileLabelSelector({ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }), { a: '' })).toBe(false);
  });
});

describe('a node copy', () => {
  it('changes without the original noticing', () => {
    const node = new NodeInfo('n', 3);
    node.setNode(makeNode('n'));
    node.addPod(podInfoOf(makePod('a', { cpu: '1', hostPort: 80, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] })));
    const copy = node.clone();
    copy.addPod(podInfoOf(makePod('b', { cpu: '1', hostPort: 81 })));
    copy.removePod('u-default-a');
    expect(node.pods.map((pod) => pod.name)).toEqual(['a']);
    expect([node.requested.milliCpu, node.usedPorts.size, node.claimUseCounts?.size]).toEqual([1000, 1, 1]);
    expect([copy.requested.milliCpu, copy.usedPorts.size, copy.claimUseCounts?.size]).toEqual([1000, 1, 0]);
    expect(copy.removePod('gone')).toBe(false);
  });
});

describe('what is remembered', () => {
  it('is bounded: of many kinds the one not asked for longest goes', () => {
    const memos = new Memos(new ChangeLog());
    const first = memos.nodeMemo('first');
    for (let i = 0; i < 60; i++) memos.nodeMemo(`kind-${i}`);
    expect(memos.nodeMemo('first')).toBe(first);
    for (let i = 60; i < 130; i++) memos.nodeMemo(`kind-${i}`);
    expect(memos.nodeMemo('first')).not.toBe(first);
  });

  it('tells what changed since, until that is too long ago', () => {
    const log = new ChangeLog();
    const nodes = Array.from({ length: 3 }, (_unused, i) => new NodeInfo(`n-${i}`, i));
    for (const node of nodes) log.record(node, 3);
    expect(log.since(1)?.map((node) => node.name)).toEqual(['n-1', 'n-2']);
    for (let i = 0; i < 3000; i++) log.record(nodes[0] as NodeInfo, 3);
    expect(log.since(1)).toBeUndefined();
    expect(log.generation).toBe(3003);
  });
});

describe('what an update means', () => {
  const pod = makePod('p', { cpu: '2', labels: { a: 'b' } });
  const labels = (changed: KubeObject) => podUpdateEvents(pod, changed, 'AssignedPod').map((event) => event.label);

  it('of a pod', () => {
    expect(labels(makePod('p', { cpu: '2', labels: { a: 'c' } }))).toEqual(['PodLabelChange']);
    expect(labels(makePod('p', { cpu: '1', labels: { a: 'b' } }))).toEqual(['PodScaleDown']);
    expect(labels(makePod('p', { cpu: '3', labels: { a: 'b' }, tolerations: [{ operator: 'Exists' }] }))).toEqual(['PodTolerationChange']);
    expect(labels(makePod('p', { cpu: '2', labels: { a: 'b' }, status: { message: 'x' } }))).toEqual(['AssignedPodUpdate']);
  });

  it('of a node; heartbeats and cordoning mean nothing', () => {
    const node = makeNode('n');
    const events = (changed: KubeObject) => nodeUpdateEvents(node, changed).map((event) => event.label);
    expect(events(makeNode('n', { cpu: '8' }))).toEqual(['NodeAllocatableChange']);
    expect(events(makeNode('n', { taints: [{ key: 'k', effect: 'NoSchedule' }] }))).toEqual(['NodeTaintChange']);
    expect(events(makeNode('n', { unschedulable: true }))).toEqual([]);
    expect(nodeUpdateEvents(makeNode('n', { unschedulable: true }), node).map((event) => event.label)).toEqual([
      'NodeSpecUnschedulableChange',
    ]);
    const ready = (lastHeartbeatTime: string) => ({
      ...node,
      status: { ...node.status, conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }] },
    });
    expect(nodeUpdateEvents(ready('a'), ready('b'))).toEqual([]);
  });
});
