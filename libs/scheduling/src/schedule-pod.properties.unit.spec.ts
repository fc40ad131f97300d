import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { assignedNode } from './framework/kube-types';
import type { PodInfo } from './framework/pod-info';
import { podInfoOf } from './framework/pod-info';
import type { Cluster, PodParts } from './cluster.fixture';
import { attempt, defaultProfile, makeCache, makePod, now } from './cluster.fixture';
import { createProfiles } from './config/profiles';
import type { AnyNode } from './random-cluster.fixture';
import { anyCluster, anyNode, anyPendingPod, anyPodParts, nodeFrom } from './random-cluster.fixture';
import { Nominator } from './queue/nominator';
import type { AttemptResult } from './attempt-result';
import { schedulePod } from './schedule-pod';

const profile = defaultProfile(createProfiles());

/** All of a decision that can be compared. */
function summary(result: AttemptResult): unknown {
  if (result.kind === 'error') return { error: result.message };
  const statuses = [...result.diagnosis.nodeStatuses].sort(([a], [b]) => (a < b ? -1 : 1));
  if (result.kind === 'bound') {
    return { best: [...result.best].sort(), feasible: [...result.feasible].sort(), statuses, totals: totalsByName(result) };
  }
  const preemption = result.postFilter?.preemption;
  const candidates = (preemption?.candidates ?? []).map(({ node, victims, pdbViolationCount }) => ({
    node,
    victims: victims.map((pod) => pod.key),
    pdbViolationCount,
  }));
  candidates.sort((a, b) => (a.node < b.node ? -1 : 1));
  return { message: result.message, statuses, candidates, best: [...(preemption?.best ?? [])].sort(), decidedBy: preemption?.decidedBy };
}

function totalsByName(result: Extract<AttemptResult, { kind: 'bound' }>): unknown {
  const { scores } = result;
  return scores && scores.nodes.map((node, i) => [node, scores.totals[i]]).sort();
}

describe('scheduling, on random clusters', () => {
  it('never names a victim of equal or higher priority', () => {
    fc.assert(
      fc.property(anyCluster, anyPendingPod, (cluster, pod) => {
        const result = attempt(cluster, pod);
        const candidates = (result.kind === 'unschedulable' && result.postFilter?.preemption?.candidates) || [];
        for (const { victims } of candidates) {
          expect(victims.length).toBeGreaterThan(0);
          for (const victim of victims) expect(victim.priority).toBeLessThan(podInfoOf(pod).priority);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('leaves room: without the victims of a candidate the pod fits there', () => {
    fc.assert(
      fc.property(anyCluster, anyPendingPod, (cluster, pod) => {
        const result = attempt(cluster, pod);
        for (const { node, victims } of (result.kind === 'unschedulable' && result.postFilter?.preemption?.candidates) || []) {
          expect(fitsOn(without(cluster, victims), pod, node)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('takes no victim that could have been given back after those more important were', () => {
    fc.assert(
      fc.property(anyCluster, anyPendingPod, (cluster, pod) => {
        const unprotected: Cluster = { ...cluster, objects: {} };
        const result = attempt(unprotected, pod);
        for (const { node, victims } of (result.kind === 'unschedulable' && result.postFilter?.preemption?.candidates) || []) {
          // In order of importance, each victim is refused beside all that were kept so far, with the less important still away.
          for (const [i, victim] of victims.entries()) {
            const away = lessImportant(unprotected, pod, node, victim).concat(victims.slice(0, i));
            expect(fitsOn(without(unprotected, away), pod, node)).toBe(false);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('never over-commits a node by its own bindings', () => {
    fc.assert(
      fc.property(fc.array(anyNode, { minLength: 1, maxLength: 4 }), fc.array(anyPodParts, { maxLength: 25 }), (nodes, pods) => {
        const cache = makeCache({ nodes: nodes.map((parts, i) => nodeFrom(`node-${i}`, parts)) });
        for (const [i, parts] of pods.entries()) {
          const pod = makePod(`q-${i}`, parts);
          const result = schedulePod(cache.snapshot(), pod, { profile, chance: () => 0, now });
          if (result.kind === 'bound') cache.assumePod(pod, result.node);
        }
        for (const node of cache.snapshot().nodes) {
          expect(node.requested.milliCpu).toBeLessThanOrEqual(node.allocatable.milliCpu);
          expect(node.pods.length).toBeLessThanOrEqual(node.allocatable.allowedPodCount);
          const ports = node.pods.flatMap((pod) => pod.hostPorts.map((port) => port.key));
          expect(new Set(ports).size).toBe(ports.length);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('does not depend on the order in which nodes and pods came', () => {
    fc.assert(
      fc.property(anyCluster, anyPendingPod, (cluster, pod) => {
        const reversed = { ...cluster, nodes: [...(cluster.nodes ?? [])].reverse(), pods: [...(cluster.pods ?? [])].reverse() };
        expect(summary(attempt(reversed, pod))).toEqual(summary(attempt(cluster, pod)));
      }),
      { numRuns: 300 },
    );
  });

  it('is the same decision whatever was remembered from attempts and changes before', () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.record({ shape: fc.nat() }) },
        { weight: 1, arbitrary: fc.record({ removed: fc.nat() }) },
        { weight: 1, arbitrary: fc.record({ node: anyNode, place: fc.nat({ max: 7 }) }) },
        { weight: 1, arbitrary: fc.record({ goneNode: fc.nat() }) },
        { weight: 1, arbitrary: fc.record({ nominee: anyPodParts, onto: fc.nat({ max: 5 }) }) },
        { weight: 1, arbitrary: fc.record({ unnominated: fc.nat() }) },
      ),
      {
        minLength: 3,
        maxLength: 20,
      },
    );
    fc.assert(
      // Few shapes, so that pods of one come again and again.
      fc.property(anyCluster, fc.array(anyPodParts, { minLength: 1, maxLength: 3 }), steps, (cluster, podShapes, changes) => {
        const world = new World(cluster, podShapes);
        for (const [i, change] of changes.entries()) world.step(change, i);
      }),
      { numRuns: 300 },
    );
  });
});

function without(cluster: Cluster, pods: readonly PodInfo[]): Cluster {
  const gone = new Set(pods.map((pod) => pod.uid));
  return { ...cluster, pods: (cluster.pods ?? []).filter((pod) => !gone.has(pod.metadata.uid)) };
}

function fitsOn(cluster: Cluster, pod: KubeObject, node: string): boolean {
  const result = attempt(cluster, pod);
  return result.kind === 'bound' && result.feasible.includes(node);
}

function lessImportant(cluster: Cluster, pod: KubeObject, node: string, than: PodInfo): PodInfo[] {
  const lower = (cluster.pods ?? [])
    .map(podInfoOf)
    .filter((other) => assignedNode(other.pod) === node && other.priority < podInfoOf(pod).priority);
  const isLess = (other: PodInfo): boolean =>
    other.priority < than.priority || (other.priority === than.priority && (other.startTime ?? now) > (than.startTime ?? now));
  return lower.filter(isLess);
}

type Change =
  | { shape: number }
  | { removed: number }
  | { node: AnyNode; place: number }
  | { goneNode: number }
  | { nominee: PodParts; onto: number }
  | { unnominated: number };

/** A cache that lives through changes, held against one that is made anew for every attempt. */
class World {
  private readonly live;
  private readonly nominator = new Nominator();
  private readonly nodes = new Map<string, KubeObject>();
  private readonly pods = new Map<string, KubeObject>();

  constructor(
    private readonly cluster: Cluster,
    private readonly podShapes: readonly PodParts[],
  ) {
    this.live = makeCache(cluster);
    for (const node of cluster.nodes ?? []) this.nodes.set(node.metadata.name, node);
    for (const pod of cluster.pods ?? []) this.pods.set(pod.metadata.uid, pod);
  }

  step(change: Change, i: number): void {
    if ('shape' in change) this.schedule(makePod(`q-${i}`, this.podShapes[change.shape % this.podShapes.length]));
    else if ('nominee' in change) this.nominator.add(podInfoOf(makePod(`n-${i}`, change.nominee)), `node-${change.onto}`);
    else if ('unnominated' in change) this.nominator.delete(`u-default-n-${change.unnominated % 14}`);
    else if ('removed' in change) this.removePod(change.removed);
    else if ('goneNode' in change) this.removeNode(change.goneNode);
    else this.setNode(nodeFrom(`node-${change.place}`, change.node));
  }

  private schedule(pod: KubeObject): void {
    const options = { profile, chance: () => 0, now, evaluateAll: true, nominated: this.nominator };
    const result = schedulePod(this.live.snapshot(), pod, options);
    const fresh = makeCache({ nodes: [...this.nodes.values()], pods: [...this.pods.values()], objects: this.cluster.objects });
    const profileOfItsOwn = defaultProfile(createProfiles());
    expect(summary(result)).toEqual(
      summary(
        schedulePod(fresh.snapshot(), pod, { ...options, profile: profileOfItsOwn, nominated: { on: (node) => this.nominator.on(node) } }),
      ),
    );
    if (result.kind !== 'bound') return;
    const bound = { ...pod, spec: { ...pod.spec, nodeName: result.node } };
    this.live.assumePod(pod, result.node);
    this.live.addPod(bound);
    this.pods.set(pod.metadata.uid, bound);
  }

  private removePod(index: number): void {
    const uids = [...this.pods.keys()];
    const uid = uids[index % Math.max(1, uids.length)];
    if (uid === undefined) return;
    this.pods.delete(uid);
    this.live.removePod(uid);
  }

  private setNode(node: KubeObject): void {
    this.nodes.set(node.metadata.name, node);
    this.live.updateNode(node);
  }

  private removeNode(index: number): void {
    const names = [...this.nodes.keys()];
    const name = names[index % Math.max(1, names.length)];
    if (name === undefined || names.length === 1) return;
    this.nodes.delete(name);
    this.live.removeNode(name);
  }
}
