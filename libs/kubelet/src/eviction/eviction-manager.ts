import {
  budgetAt,
  nodePressureTypes,
  nodeRecordTypes,
  noPressure,
  type ClusterState,
  type NodePressure,
  type NodeRecord,
  type ObjectChange,
} from '#libs/cluster-state';
import { ofNoObject, type Reconciler, type Reconciliation } from '#libs/control-loop';
import { fact, type EventData, type Fact } from '#libs/events';
import { parseTime, type JsonObject, type KubeObject, type ObjectKey } from '#libs/kernel';
import { isCriticalPod } from '../admission/critical-pods';
import { tellsOfUsage, usageOfMany, usageOfOne } from '../kwok/resource-usage';
import { operatedNode } from '../node-registration/node-of-kubelet';
import { assess, isKnown, type Assessment, type Met } from './assess';
import { evictionText } from './messages';
import { nextChange } from './next-look';
import { nodeMeasures, type NodeMeasures } from './node-usage';
import { isActive, isNoteworthy, podUsage, type PodUsage } from './pod-usage';
import { ranked, type RankedPod } from './ranking';
import { runsOtherwise } from './runs-of-pod';
import { resourceOf } from './signals';
import { overLimit, overLimitFrom } from './storage-limits';
import { availableText, quantityAt, type EvictionConfig } from './thresholds';
import { lookBefore, lookFrom, type Looks } from './usage-line';

/** How often a kubelet looks at what its node is short of, ms (upstream `evictionMonitoringPeriod`). */
const looksEveryMs = 10_000;
/** Grace of a pod that a hard threshold or a limit evicts, seconds (upstream `immediateEvictionGracePeriodSeconds`). */
const immediateGraceSeconds = 1;
/** How long a kubelet waits for an evicted pod to be cleared away, ms, after it has waited for its containers to stop. */
const cleanupMaxMs = 30_000;
const stopMinMs = 10_000;

/** By node: pods of which the manager has to be aware. */
type EvictionIndex = Map<string, Set<ObjectKey>>;

/**
 * The eviction managers of all simulated kubelets. What pods use is told by their behaviour, in pieces that are straight over time: so the look
 * that will find a threshold crossed is computed, and no other is taken. Subjects are nodes.
 */
export function evictionManager(config: EvictionConfig): Reconciler<EvictionIndex> {
  return {
    name: 'kubelet-eviction',
    behaviour: '2',
    stream: 'kubelet-decisions',
    config: config as unknown as JsonObject,
    follows: ['pods', 'nodes', usageOfOne, usageOfMany, ofNoObject],

    index(cluster) {
      const index: EvictionIndex = new Map();
      for (const [key, pod] of cluster.table('pods').objects) note(index, key, pod);
      return index;
    },

    *follow(index, { change, events }, cluster) {
      if (change?.resource === 'pods') yield* followPod(index, change, cluster);
      else if (change?.resource === 'nodes') yield change.name;
      else if (change?.resource === usageOfOne || change?.resource === usageOfMany) yield* followUsage(change, cluster);
      else if (!change) {
        for (const { type, data } of events) if (nodeRecordTypes.has(type) || nodePressureTypes.has(type)) yield data.node as string;
      }
    },

    *allSubjects(_index, cluster) {
      for (const node of cluster.table('nodes').objects.values()) yield node.metadata.name;
    },

    reconcile(cluster, index, name, { now }) {
      const node = operatedNode(cluster, name);
      const record = cluster.decisions.nodes.of(name);
      if (!node || !isWatchful(index, name, cluster)) return undefined;
      return new Manager(cluster, node, record, config, now).look();
    },
  };
}

function isWatchful(index: EvictionIndex, node: string, cluster: ClusterState): boolean {
  const { load, pressure } = cluster.decisions.nodes.of(node);
  return index.has(node) || load !== undefined || pressure !== undefined || tellsOfUsage(cluster);
}

/** What an object of kwok says is about one pod, or about any. */
function* followUsage({ resource, object, name }: ObjectChange, cluster: ClusterState): Iterable<string> {
  if (resource === usageOfMany) for (const node of cluster.table('nodes').objects.values()) yield node.metadata.name;
  const node = cluster.get('pods', object.metadata.namespace, name)?.spec?.nodeName as string | undefined;
  if (node !== undefined) yield node;
}

function* followPod(index: EvictionIndex, change: ObjectChange, cluster: ClusterState): Iterable<string> {
  const node = change.object.spec?.nodeName as string | undefined;
  if (node === undefined) return;
  if (change.type === 'DELETED') forget(index, node, change.key);
  else note(index, change.key, change.object);
  const isSought = cluster.decisions.nodes.of(node).pressure !== undefined || tellsOfUsage(cluster);
  if (isWatchful(index, node, cluster) && (isSought || isSeen(change))) yield node;
}

/** While its node has enough of everything, a pod matters that begins or ends to count, or whose containers do. */
function isSeen({ type, before, object }: ObjectChange): boolean {
  if (!before) return true;
  const was = isActive(before);
  const is = type !== 'DELETED' && isActive(object);
  return was !== is || (is && runsOtherwise(before, object));
}

function note(index: EvictionIndex, key: ObjectKey, pod: KubeObject): void {
  const node = pod.spec?.nodeName as string | undefined;
  if (node === undefined) return;
  if (!isNoteworthy(pod)) forget(index, node, key);
  else if (index.has(node)) index.get(node)?.add(key);
  else index.set(node, new Set([key]));
}

function forget(index: EvictionIndex, node: string, key: ObjectKey): void {
  const keys = index.get(node);
  keys?.delete(key);
  if (keys?.size === 0) index.delete(node);
}

/** One look of the eviction manager of one node, or the wait for the next. */
class Manager {
  private readonly name: string;
  private readonly known: NodePressure;
  private readonly kubeletSince: number;

  constructor(
    private readonly cluster: ClusterState,
    private readonly node: KubeObject,
    private readonly record: NodeRecord,
    private readonly config: EvictionConfig,
    private readonly now: number,
  ) {
    this.name = node.metadata.name;
    this.known = record.pressure ?? noPressure;
    this.kubeletSince = record.kubeletStartedAt ?? parseTime(node.metadata.creationTimestamp) ?? 0;
  }

  look(): Reconciliation | undefined {
    const { known, now } = this;
    const giveUpAt = known.victim && known.victim.at + Math.max(stopMinMs, known.victim.graceSeconds * 1_500) + cleanupMaxMs;
    if (giveUpAt !== undefined && now < giveUpAt) return { steps: [], wakeAt: giveUpAt };
    const pods = this.activePods();
    const pass = known.passAt === undefined ? undefined : this.evictionOverLimit(pods, known.passAt);
    if (pass) return { steps: [], records: pass };
    const looks = { from: giveUpAt ?? known.looksFrom ?? this.kubeletSince, everyMs: looksEveryMs };
    const measures = nodeMeasures(this.node, this.record, pods);
    const at = lookBefore(looks, now);
    if (at >= looks.from && at > (known.lookedAt ?? 0)) {
      const records = this.findings(at, pods, measures);
      if (records.length > 0) return { steps: [], records };
    }
    const wakeAt = this.nextLook(pods, measures, looks, lookFrom(looks, now + 1));
    return wakeAt === undefined ? undefined : { steps: [], wakeAt };
  }

  private activePods(): PodUsage[] {
    const usages: PodUsage[] = [];
    for (const pod of this.cluster.indices.podsOnNode(this.name).values())
      if (isActive(pod)) usages.push(podUsage(this.cluster, pod, this.kubeletSince));
    return usages;
  }

  /** What there is to say and do at a look. */
  private findings(at: number, pods: readonly PodUsage[], measures: NodeMeasures): Fact[] {
    const found = assess(this.config, measures, this.known, at, Math.max(at - looksEveryMs, this.known.lookedAt ?? 0));
    const overLimits = this.evictionOverLimit(pods, at);
    if (overLimits) return [this.observed(at, found, this.toldUntil(at)), ...overLimits];
    const ripe = found.met.filter(({ isRipe }) => isRipe);
    if (ripe.length > 0) return this.reclaim(at, found, ripe, pods, measures);
    return isKnown(found, this.known) ? [] : [this.observed(at, found, this.toldUntil(at))];
  }

  /** Something has to be reclaimed: its kubelet says so, and evicts the first pod that it may. */
  private reclaim(at: number, found: Assessment, ripe: readonly Met[], pods: readonly PodUsage[], measures: NodeMeasures): Fact[] {
    const [{ of: threshold, available }] = ripe as [Met];
    const resource = resourceOf(threshold.signal);
    const before = this.toldUntil(at) ?? { times: 0, at, left: budgetAt(undefined, at).left };
    const mayTell = before.left >= 1;
    const told = { times: before.times + 1, at, left: mayTell ? before.left - 1 : before.left };
    const ranking = ranked(pods, resource, at);
    const victim = ranking.find(({ of: { pod }, isCritical: isSafe }) => !isSafe && !this.isOrdered(pod));
    if (!victim && !mayTell && isKnown(found, this.known)) return [];
    const records = [this.observed(at, found, told)];
    if (mayTell) records.push(this.reported('EvictionThresholdMet', `Attempting to reclaim ${resource}`, told.times));
    if (!victim) return records;
    const capacity = measures[threshold.signal]?.capacity ?? 0;
    const shortage = { quantity: quantityAt(threshold.value, capacity), available: availableText(resource, available) };
    const { message, annotations } = evictionText(victim.of, resource, shortage, at);
    const graceSeconds = threshold.graceMs === 0 ? immediateGraceSeconds : this.softGraceSeconds(victim.of.pod);
    const why = { threshold: threshold.name, resource, disruption: message, ranking: ranking.map(shownRank) };
    return [...records, ...this.evicted(victim.of.pod, graceSeconds, message, annotations, why)];
  }

  private softGraceSeconds({ spec }: KubeObject): number {
    return Math.min(
      this.config.maxPodGraceSeconds,
      (spec?.terminationGracePeriodSeconds as number | undefined) ?? Number.POSITIVE_INFINITY,
    );
  }

  private evictionOverLimit(pods: readonly PodUsage[], at: number): Fact[] | undefined {
    for (const of of pods) {
      const message = isCriticalPod(of.pod) || this.isOrdered(of.pod) ? undefined : overLimit(of, at);
      if (message !== undefined) return this.evicted(of.pod, immediateGraceSeconds, message, undefined, { limit: true });
    }
    return undefined;
  }

  private isOrdered({ metadata }: KubeObject): boolean {
    const order = this.cluster.decisions.podMarks.get(metadata.uid)?.order;
    return order !== undefined && order.at >= this.kubeletSince;
  }

  /** How often it is known to have tried to reclaim something, up to a look: also those times count that were not told. */
  private toldUntil(at: number): NodePressure['told'] {
    const { told, met } = this.known;
    if (!told) return undefined;
    const untold = met.some(({ isRipe }) => isRipe) ? Math.max(0, Math.round((at - told.at) / looksEveryMs) - 1) : 0;
    return { times: told.times + untold, at, left: budgetAt({ left: told.left, at: told.at }, at).left };
  }

  private nextLook(pods: readonly PodUsage[], measures: NodeMeasures, looks: Looks, start: number): number | undefined {
    let first = nextChange(this.config, measures, this.known, looks, start);
    const consider = (look: number | undefined): void => {
      if (look !== undefined && (first === undefined || look < first)) first = look;
    };
    const evictable = pods.filter(({ pod }) => !isCriticalPod(pod) && !this.isOrdered(pod));
    for (const of of evictable) consider(overLimitFrom(of, looks, start));
    if (this.known.met.some(({ isRipe }) => isRipe)) {
      const { left = 0, at = start } = this.known.told ?? {};
      const mayTellAt = left >= 1 ? start : at + Math.ceil((1 - left) * 300_000);
      consider(evictable.length > 0 ? start : Math.max(start, lookFrom(looks, mayTellAt)));
    }
    return first;
  }

  private observed(at: number, { met, conditions }: Assessment, told: NodePressure['told']): Fact {
    const shown = met.map(({ threshold, since, isRipe, available }) => ({ threshold, since, ...(isRipe ? { isRipe } : {}), available }));
    return fact('NodePressureObserved', { node: this.name, at, met: shown, conditions, ...(told ? { told } : {}) });
  }

  private evicted(
    pod: KubeObject,
    graceSeconds: number,
    message: string,
    annotations: Record<string, string> | undefined,
    why: Partial<EventData<'PodEvictedByKubelet'>>,
  ): Fact[] {
    const { namespace = '', name, uid } = pod.metadata;
    const order = { node: this.name, namespace, pod: name, uid, at: this.now, graceSeconds, reason: 'Evicted', message };
    const about = { resource: 'pods', namespace, name, uid, component: 'kubelet' };
    const told = { ...about, type: 'Warning' as const, reason: 'Evicted', message, ...(annotations ? { annotations } : {}) };
    return [fact('PodEvictedByKubelet', { ...order, ...why }), fact('Reported', told)];
  }

  private reported(reason: string, message: string, count: number): Fact {
    const { name, uid } = this.node.metadata;
    const about = { resource: 'nodes', namespace: '', name, uid, component: 'kubelet' };
    return fact('Reported', { ...about, type: 'Warning', reason, message, count });
  }
}

function shownRank({
  of: { pod },
  usage,
  request,
  priority,
  isCritical: isSafe,
}: RankedPod): EventData<'PodEvictedByKubelet'>['ranking'] extends (infer R)[] | undefined ? R : never {
  const { namespace = '', name } = pod.metadata;
  return { namespace, name, priority, ...(usage === undefined ? {} : { usage }), request, ...(isSafe ? { isCritical: true } : {}) };
}
