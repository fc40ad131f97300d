import { KeyedHeap } from '#libs/kernel';
import type { QueuedPodInfo } from './queued-pod-info';
import { uidOf } from './queued-pod-info';

export interface PodGroup {
  readonly schedulerName: string;
  readonly rejectors: ReadonlySet<string>;
  readonly gatingPlugin: string | undefined;
  readonly pods: Map<string, QueuedPodInfo>;
}

/**
 * The pool of pods waiting for the cluster to change. Grouped by who refused them, so that an event that concerns none of the
 * refusing plugins costs nothing, however many pods wait.
 */
export class UnschedulablePods {
  private readonly groups = new Map<string, PodGroup>();
  private readonly groupOf = new Map<string, PodGroup>();
  /** Pods that nothing gates, the one that failed longest ago first. */
  private readonly byAge = new KeyedHeap<QueuedPodInfo>(uidOf, (a, b) => a.timestamp < b.timestamp);

  get size(): number {
    return this.groupOf.size;
  }

  set(pod: QueuedPodInfo): void {
    const { uid } = pod.info;
    this.delete(uid);
    const rejectors = [...new Set([...pod.unschedulablePlugins, ...pod.pendingPlugins])].sort();
    const schedulerName = pod.info.spec.schedulerName || 'default-scheduler';
    const key = `${schedulerName}|${pod.gatingPlugin ?? ''}|${rejectors.join(',')}`;
    let group = this.groups.get(key);
    if (group === undefined) {
      group = { schedulerName, rejectors: new Set(rejectors), gatingPlugin: pod.gatingPlugin, pods: new Map() };
      this.groups.set(key, group);
    }
    group.pods.set(uid, pod);
    this.groupOf.set(uid, group);
    if (pod.gatingPlugin === undefined) this.byAge.set(pod);
  }

  get(uid: string): QueuedPodInfo | undefined {
    return this.groupOf.get(uid)?.pods.get(uid);
  }

  delete(uid: string): QueuedPodInfo | undefined {
    const group = this.groupOf.get(uid);
    if (group === undefined) return undefined;
    const pod = group.pods.get(uid);
    group.pods.delete(uid);
    this.groupOf.delete(uid);
    this.byAge.delete(uid);
    return pod;
  }

  oldestUngated(): QueuedPodInfo | undefined {
    return this.byAge.peek();
  }

  allGroups(): Iterable<PodGroup> {
    return this.groups.values();
  }
}
