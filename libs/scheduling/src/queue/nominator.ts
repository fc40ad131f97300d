import type { NominatedPods } from '../framework/nominated-pods';
import { nominatedNode } from '../framework/kube-types';
import type { PodInfo } from '../framework/pod-info';

const none: readonly PodInfo[] = [];

/** Which pending pod has been promised which node. What was decided last counts, even before the API object shows it. */
export class Nominator implements NominatedPods {
  private readonly byNode = new Map<string, readonly PodInfo[]>();
  private readonly nodeOf = new Map<string, string>();

  on(nodeName: string): readonly PodInfo[] {
    return this.byNode.get(nodeName) ?? none;
  }

  entries(): Iterable<readonly [string, readonly PodInfo[]]> {
    return this.byNode;
  }

  nominationOf(uid: string): string | undefined {
    return this.nodeOf.get(uid);
  }

  /** `nodeName` overrides what the object says; '' takes the nomination away. */
  add(pod: PodInfo, nodeName: string = nominatedNode(pod.pod)): void {
    this.delete(pod.uid);
    if (nodeName === '') return;
    this.nodeOf.set(pod.uid, nodeName);
    this.byNode.set(nodeName, [...this.on(nodeName), pod]);
  }

  /** An update that shows no nomination before or after is older than a nomination made here, which stays. */
  update(old: PodInfo, updated: PodInfo): void {
    const showsNone = nominatedNode(old.pod) === '' && nominatedNode(updated.pod) === '';
    this.add(updated, showsNone ? (this.nodeOf.get(old.uid) ?? '') : nominatedNode(updated.pod));
  }

  delete(uid: string): void {
    const nodeName = this.nodeOf.get(uid);
    if (nodeName === undefined) return;
    this.nodeOf.delete(uid);
    const rest = (this.byNode.get(nodeName) ?? []).filter((pod) => pod.uid !== uid);
    if (rest.length === 0) this.byNode.delete(nodeName);
    else this.byNode.set(nodeName, rest);
  }
}
