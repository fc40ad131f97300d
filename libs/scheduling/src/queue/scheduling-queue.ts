import type { KubeObject } from '#libs/kernel';
import { KeyedHeap } from '#libs/kernel';
import type { Profiles } from '../config/profiles';
import type { ClusterEvent } from '../framework/events';
import { eventUnschedulableTimeout } from '../framework/events';
import { Listers } from '../framework/listers';
import type { PodInfo } from '../framework/pod-info';
import { podInfoOf } from '../framework/pod-info';
import type { AttemptResult } from '../attempt-result';
import { BackoffQueue } from './backoff-queue';
import { podUpdateEvents } from './pod-update-events';
import { InFlightEvents } from './in-flight-events';
import { Nominator } from './nominator';
import type { QueuedPodInfo } from './queued-pod-info';
import { newQueuedPodInfo, noPlugins, uidOf } from './queued-pod-info';
import type { RequeueStrategy } from './requeueing';
import { Requeueing } from './requeueing';
import { UnschedulablePods } from './unschedulable-pods';

/** A pod this long in the pool is tried again without a reason … */
const maxInUnschedulablePodsMs = 5 * 60_000;
/** … at the next turn of a loop that runs this often. */
const unschedulableFlushMs = 30_000;

export type PoppedFrom = 'active' | 'backoff';
export interface PoppedPod {
  readonly pod: QueuedPodInfo;
  readonly poppedFrom: PoppedFrom;
}

export type QueueName = 'active' | 'backoff' | 'unschedulable' | 'gated' | 'in-flight';

/**
 * Pods waiting to be scheduled (upstream PriorityQueue): the active queue, the back-off queues, and the pool of those that wait for
 * the cluster to change. Time is passed in; what would be a timer is done when the queue is next asked. `nextWake` says when that
 * should be at the latest.
 */
export class SchedulingQueue {
  readonly nominator = new Nominator();
  private readonly active: KeyedHeap<QueuedPodInfo>;
  private readonly backoff: BackoffQueue;
  private readonly pool = new UnschedulablePods();
  private readonly inFlight = new InFlightEvents();
  private readonly inFlightPods = new Map<string, QueuedPodInfo>();
  private readonly preempting = new Set<string>();
  private readonly requeueing: Requeueing;

  constructor(
    private readonly profiles: Profiles,
    private readonly listers: Listers = new Listers(),
  ) {
    const sort = [...profiles.bySchedulerName.values()][0]?.plugins.queueSort[0];
    const less = (a: QueuedPodInfo, b: QueuedPodInfo): boolean => sort?.less(a, b) ?? a.timestamp < b.timestamp;
    const { podInitialBackoffSeconds, podMaxBackoffSeconds } = profiles.configuration;
    this.active = new KeyedHeap(uidOf, less);
    this.backoff = new BackoffQueue(podInitialBackoffSeconds * 1000, podMaxBackoffSeconds * 1000, less);
    this.requeueing = new Requeueing(profiles, listers);
  }

  get size(): number {
    return this.active.size + this.backoff.size + this.pool.size;
  }

  /** A pending pod that was not known. */
  add(pod: KubeObject, now: number): void {
    const queued = newQueuedPodInfo(podInfoOf(pod), now);
    if (this.toActive(queued, now)) this.nominator.add(queued.info);
  }

  /** A pending pod that changed. In the pool, only what the change means to the refusing plugins moves it. */
  update(old: KubeObject, updated: KubeObject, now: number): void {
    const uid = updated.metadata.uid;
    const info = podInfoOf(updated);
    const events = podUpdateEvents(old, updated, 'UnscheduledPod');
    if (this.inFlight.has(uid)) {
      for (const event of events) this.inFlight.record({ event, old, updated });
      const flying = this.inFlightPods.get(uid);
      if (flying !== undefined) flying.info = info;
      return;
    }
    const waiting = this.active.get(uid) ?? this.backoff.get(uid);
    if (waiting !== undefined) {
      const isActive = this.active.has(uid);
      waiting.info = info;
      if (isActive) this.active.set(waiting);
      else this.backoff.add(waiting);
      this.nominator.update(podInfoOf(old), info);
      return;
    }
    const pooled = this.pool.get(uid);
    if (pooled === undefined) {
      this.add(updated, now);
      return;
    }
    pooled.info = info;
    this.nominator.update(podInfoOf(old), info);
    for (const event of events) {
      if (this.moveIfWorthIt(pooled, event, old, updated, now)) return;
    }
  }

  /** A pending pod that is gone, bound or terminal. */
  delete(uid: string): void {
    this.nominator.delete(uid);
    this.active.delete(uid);
    this.backoff.delete(uid);
    this.pool.delete(uid);
    this.preempting.delete(uid);
  }

  /** What `pop` would give, once no flush is due. Changes nothing. */
  peek(): PoppedPod | undefined {
    const active = this.active.peek();
    if (active !== undefined) return { pod: active, poppedFrom: 'active' };
    // With nothing better to do, back-off is not waited for.
    const refused = this.backoff.peekRefused();
    return refused && { pod: refused, poppedFrom: 'backoff' };
  }

  /** The next pod to attempt; undefined when there is none. It is in flight until `done` or `addUnschedulable`. */
  pop(now: number): PoppedPod | undefined {
    this.flush(now);
    const next = this.peek();
    if (next === undefined) return undefined;
    const { pod } = next;
    if (next.poppedFrom === 'active') this.active.pop();
    else this.backoff.delete(pod.info.uid);
    pod.attempts++;
    pod.initialAttemptTimestamp ??= now;
    pod.unschedulablePlugins = noPlugins;
    pod.pendingPlugins = noPlugins;
    pod.gatingPlugin = undefined;
    this.inFlight.begin(pod.info.uid);
    this.inFlightPods.set(pod.info.uid, pod);
    return next;
  }

  /** The attempt is over and the pod does not come back: it is being bound, or is gone. */
  done(uid: string): void {
    this.inFlight.done(uid);
    this.inFlightPods.delete(uid);
  }

  /**
   * The attempt failed: the pod waits again. An event that came during the attempt and concerns it brings it back at once (after
   * back-off); a refusal that names no plugin counts as an error. The nomination follows from the result.
   * @param pod the object as it is now, if it changed during the attempt
   */
  addUnschedulable(queued: QueuedPodInfo, result: AttemptResult, now: number, pod: KubeObject = queued.info.pod): void {
    const uid = queued.info.uid;
    queued.info = podInfoOf(pod);
    if (result.kind === 'unschedulable') {
      queued.unschedulablePlugins = result.unschedulablePlugins;
      queued.pendingPlugins = result.pendingPlugins;
    }
    if (queued.unschedulablePlugins.size === 0 && queued.pendingPlugins.size === 0) {
      queued.consecutiveErrorsCount++;
    } else {
      queued.unschedulableCount++;
      queued.consecutiveErrorsCount = 0;
    }
    queued.timestamp = now;
    const strategy = this.strategyAfterAttempt(queued);
    this.done(uid);
    this.requeue(queued, strategy, now);
    this.nominator.add(queued.info, nominationAfter(result));
  }

  /** Something happened in the cluster: pods of the pool that it may help are brought back. Returns how many. */
  movePodsOnEvent(
    event: ClusterEvent,
    old: KubeObject | undefined,
    updated: KubeObject | undefined,
    now: number,
    isConcerned?: (pod: PodInfo) => boolean,
  ): number {
    let moved = 0;
    for (const group of this.pool.allGroups()) {
      if (group.pods.size === 0 || !this.requeueing.concerns(group, event)) continue;
      // A copy: pods that move leave the group, or come back to it.
      for (const pod of Array.from(group.pods.values())) {
        if (isConcerned !== undefined && !isConcerned(pod.info)) continue;
        if (this.moveIfWorthIt(pod, event, old, updated, now)) moved++;
      }
    }
    this.inFlight.record({ event, old, updated });
    return moved;
  }

  /** Straight to the active queue, whatever refused the pod. */
  activate(uid: string, now: number): boolean {
    const pod = this.pool.get(uid) ?? this.backoff.get(uid);
    return pod !== undefined && this.toActive(pod, now);
  }

  /** While a pod's victims are being deleted it is held back (DefaultPreemption's PreEnqueue). */
  setPreempting(uid: string, isPreempting: boolean): void {
    if (isPreempting) this.preempting.add(uid);
    else this.preempting.delete(uid);
  }

  /** Whether `flush` would move a pod. */
  isFlushDue(now: number): boolean {
    const oldest = this.pool.oldestUngated();
    return this.backoff.isCompleted(now) || (oldest !== undefined && overdueAt(oldest) <= now);
  }

  /** Does what is due: back-offs that are over, pods that waited too long. */
  flush(now: number): void {
    for (const pod of this.backoff.popCompleted(now)) {
      // PreEnqueue ran before the pod entered the back-off queue.
      pod.initialAttemptTimestamp ??= now;
      this.active.set(pod);
    }
    for (let pod = this.pool.oldestUngated(); pod !== undefined && overdueAt(pod) <= now; pod = this.pool.oldestUngated()) {
      this.moveIfWorthIt(pod, eventUnschedulableTimeout, undefined, undefined, now);
    }
  }

  /** When the queue next has something to give or do; undefined when only an event can change that. */
  nextWake(now: number): number | undefined {
    if (this.active.size > 0 || this.backoff.hasRefused()) return now;
    const oldest = this.pool.oldestUngated();
    const wake = Math.min(this.backoff.nextCompletion() ?? Infinity, oldest === undefined ? Infinity : overdueAt(oldest));
    return wake === Infinity ? undefined : Math.max(wake, now);
  }

  where(uid: string): QueueName | undefined {
    if (this.inFlight.has(uid)) return 'in-flight';
    if (this.active.has(uid)) return 'active';
    if (this.backoff.get(uid) !== undefined) return 'backoff';
    const pooled = this.pool.get(uid);
    if (pooled === undefined) return undefined;
    return pooled.gatingPlugin === undefined ? 'unschedulable' : 'gated';
  }

  /** Pods that would be attempted without anything else happening (active and back-off), in no order. */
  waiting(): PodInfo[] {
    return [...this.active.values(), ...this.backoff.values()].map((pod) => pod.info);
  }

  private moveIfWorthIt(
    pod: QueuedPodInfo,
    event: ClusterEvent,
    old: KubeObject | undefined,
    updated: KubeObject | undefined,
    now: number,
  ): boolean {
    const strategy = this.requeueing.strategy(pod, event, old, updated);
    return strategy !== 'skip' && this.requeue(pod, strategy, now) !== 'unschedulable';
  }

  private strategyAfterAttempt(pod: QueuedPodInfo): RequeueStrategy {
    if (pod.unschedulablePlugins.size === 0 && pod.pendingPlugins.size === 0) return 'queueAfterBackoff';
    let strategy: RequeueStrategy = 'skip';
    for (const { event, old, updated } of this.inFlight.since(pod.info.uid)) {
      const wanted = this.requeueing.strategy(pod, event, old, updated);
      if (wanted === 'queueImmediately') return wanted;
      if (wanted !== 'skip') strategy = wanted;
    }
    return strategy;
  }

  private requeue(pod: QueuedPodInfo, strategy: RequeueStrategy, now: number): QueueName {
    if (strategy === 'skip') {
      this.pool.set(pod);
      return 'unschedulable';
    }
    if (strategy === 'queueAfterBackoff' && this.backoff.isBackingOff(pod, now)) {
      if (this.isHeldBack(pod)) return 'unschedulable';
      this.pool.delete(pod.info.uid);
      this.backoff.add(pod);
      return 'backoff';
    }
    return this.toActive(pod, now) ? 'active' : 'unschedulable';
  }

  private toActive(pod: QueuedPodInfo, now: number): boolean {
    if (this.isHeldBack(pod)) return false;
    pod.initialAttemptTimestamp ??= now;
    this.pool.delete(pod.info.uid);
    this.backoff.delete(pod.info.uid);
    this.active.set(pod);
    return true;
  }

  /** Runs PreEnqueue; a pod that some plugin gates goes to (or stays in) the pool. */
  private isHeldBack(pod: QueuedPodInfo): boolean {
    const framework = this.profiles.get(pod.info.spec.schedulerName || 'default-scheduler');
    pod.gatingPlugin = undefined;
    for (const plugin of framework?.plugins.preEnqueue ?? []) {
      const status = plugin.preEnqueue(pod.info, { listers: this.listers, isPreempting: (uid) => this.preempting.has(uid) });
      if (status === undefined) continue;
      pod.gatingPlugin = plugin.name;
      pod.unschedulablePlugins = new Set([...pod.unschedulablePlugins, plugin.name]);
      if (this.backoff.get(pod.info.uid) === undefined) this.pool.set(pod);
      return true;
    }
    return false;
  }
}

/** Strictly older than the limit at a turn of the loop. */
function overdueAt(pod: QueuedPodInfo): number {
  return (Math.floor((pod.timestamp + maxInUnschedulablePodsMs) / unschedulableFlushMs) + 1) * unschedulableFlushMs;
}

function nominationAfter(result: AttemptResult): string | undefined {
  switch (result.kind) {
    case 'unschedulable':
      return result.postFilter?.nominatedNodeName;
    case 'error':
      return '';
    case 'bound':
      return undefined;
  }
}
