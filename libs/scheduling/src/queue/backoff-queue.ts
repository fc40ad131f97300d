import { KeyedHeap } from '#libs/kernel';
import type { QueuedPodInfo } from './queued-pod-info';
import { uidOf } from './queued-pod-info';

export type Less = (a: QueuedPodInfo, b: QueuedPodInfo) => boolean;

/** Back-off ends at whole seconds, so that pods whose back-off ends in the same second are ordered by priority. */
const windowMs = 1000;

function alignToWindow(ms: number): number {
  return Math.floor(ms / windowMs) * windowMs;
}

/**
 * Pods that failed not long ago. Those that were refused and those that met an error are kept apart: only the former may be taken
 * before their time, when nothing else is to be done.
 */
export class BackoffQueue {
  private readonly refused: KeyedHeap<QueuedPodInfo>;
  private readonly failed: KeyedHeap<QueuedPodInfo>;

  constructor(
    private readonly initialMs: number,
    private readonly maxMs: number,
    private readonly activeLess: Less,
  ) {
    this.refused = new KeyedHeap(uidOf, (a, b) => this.less(a, b));
    this.failed = new KeyedHeap(uidOf, (a, b) => this.less(a, b));
  }

  get size(): number {
    return this.refused.size + this.failed.size;
  }

  add(pod: QueuedPodInfo): void {
    const isFailed = pod.unschedulablePlugins.size === 0 && pod.pendingPlugins.size === 0;
    (isFailed ? this.failed : this.refused).set(pod);
    (isFailed ? this.refused : this.failed).delete(pod.info.uid);
  }

  get(uid: string): QueuedPodInfo | undefined {
    return this.refused.get(uid) ?? this.failed.get(uid);
  }

  delete(uid: string): QueuedPodInfo | undefined {
    return this.refused.delete(uid) ?? this.failed.delete(uid);
  }

  /** The head of the refused pods, its time come or not. */
  peekRefused(): QueuedPodInfo | undefined {
    return this.refused.peek();
  }

  hasRefused(): boolean {
    return this.refused.size > 0;
  }

  /** Whether the time of any has come. */
  isCompleted(now: number): boolean {
    return [this.refused.peek(), this.failed.peek()].some((head) => head !== undefined && !this.isBackingOff(head, now));
  }

  /** All whose time has come. */
  popCompleted(now: number): QueuedPodInfo[] {
    const completed: QueuedPodInfo[] = [];
    for (const heap of [this.refused, this.failed]) {
      for (let head = heap.peek(); head !== undefined && !this.isBackingOff(head, now); head = heap.peek()) {
        heap.pop();
        completed.push(head);
      }
    }
    return completed;
  }

  /** In the very second its time ends a pod still counts as backing off. */
  isBackingOff(pod: QueuedPodInfo, now: number): boolean {
    return this.expiration(pod) >= alignToWindow(now);
  }

  /** The moment the next pod will be let go; undefined when there is none. */
  nextCompletion(): number | undefined {
    const heads = [this.refused.peek(), this.failed.peek()].filter((head) => head !== undefined);
    if (heads.length === 0) return undefined;
    return Math.min(...heads.map((head) => this.expiration(head))) + windowMs;
  }

  values(): QueuedPodInfo[] {
    return [...this.refused.values(), ...this.failed.values()];
  }

  /** 0 for a pod without failures, which does not back off. */
  expiration(pod: QueuedPodInfo): number {
    const duration = this.duration(pod);
    return duration === 0 ? 0 : alignToWindow(pod.timestamp + duration);
  }

  /** Doubles with every failure up to the maximum. */
  private duration(pod: QueuedPodInfo): number {
    const failures = pod.consecutiveErrorsCount > 0 ? pod.consecutiveErrorsCount : pod.unschedulableCount;
    return failures === 0 ? 0 : Math.min(this.maxMs, this.initialMs * 2 ** (failures - 1));
  }

  private less(a: QueuedPodInfo, b: QueuedPodInfo): boolean {
    const left = this.expiration(a);
    const right = this.expiration(b);
    return left < right || (left === right && this.activeLess(a, b));
  }
}
