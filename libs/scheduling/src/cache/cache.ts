import type { KubeObject } from '#libs/kernel';
import { assignedNode, nodeStatus } from '../framework/kube-types';
import type { ListedResource } from '../framework/listers';
import { isListedResource, Listers } from '../framework/listers';
import { ChangeLog } from '../framework/memo/change-log';
import { Memos } from '../framework/memo/memos';
import { NodeInfo } from '../framework/node-info';
import type { PodInfo } from '../framework/pod-info';
import { podInfoAfter, podInfoOf } from '../framework/pod-info';
import type { Snapshot } from '../framework/snapshot';
import { ImageStates } from './image-states';
import { NodeTree } from './node-tree';

interface PodState {
  info: PodInfo;
  nodeName: string;
  /** Placed by this scheduler, not yet seen as bound. */
  isAssumed: boolean;
}

/**
 * What the scheduler knows of nodes and assigned pods, kept current change by change, so that taking a snapshot costs what changed
 * and not what exists. What the scheduler has decided counts at once: pods that are to be bound are assumed to be there, pods that it deletes
 * to be gone; assumptions never expire.
 */
export class SchedulerCache {
  readonly listers = new Listers();
  private readonly nodeInfos = new Map<string, NodeInfo>();
  private readonly pods = new Map<string, PodState>();
  /** Deleted by this scheduler, not yet seen as deleted. */
  private readonly gone = new Map<string, PodState>();
  private readonly tree = new NodeTree();
  private readonly images = new ImageStates();
  private readonly withAffinity = new Set<NodeInfo>();
  private readonly withRequiredAntiAffinity = new Set<NodeInfo>();
  private readonly claimUses = new Map<string, number>();
  private order: NodeInfo[] | undefined;
  private readonly changes = new ChangeLog();
  private readonly memos = new Memos(this.changes);
  private slotCount = 0;
  private readonly freeSlots: number[] = [];

  get nodeCount(): number {
    return this.tree.size;
  }

  get podCount(): number {
    return this.pods.size;
  }

  addNode(node: KubeObject): void {
    this.updateNode(node);
  }

  updateNode(node: KubeObject): void {
    const info = this.infoOf(node.metadata.name);
    const before = info.node;
    if (before === undefined || nodeStatus(before).images !== nodeStatus(node).images) {
      if (before !== undefined) this.images.remove(before);
      info.images = this.images.add(node);
    }
    info.setNode(node);
    if (this.tree.add(node) || before === undefined) this.order = undefined;
    this.touch(info);
  }

  /** The node goes; its pods stay known until they are removed themselves. */
  removeNode(name: string): void {
    const info = this.nodeInfos.get(name);
    if (info?.node === undefined) return;
    this.images.remove(info.node);
    this.tree.remove(name);
    this.order = undefined;
    info.removeNode();
    this.touch(info);
    if (info.pods.length === 0) this.drop(info);
  }

  /** An assigned pod (`spec.nodeName`) that is not terminal. Confirms an assumed one. */
  addPod(pod: KubeObject): void {
    const before = this.pods.get(pod.metadata.uid)?.info;
    this.place(before ? podInfoAfter(before, pod) : podInfoOf(pod), assignedNode(pod), false);
  }

  updatePod(pod: KubeObject): void {
    this.addPod(pod);
  }

  removePod(uid: string): void {
    this.gone.delete(uid);
    this.displace(uid);
  }

  /** Counts the pod on the node before its binding is seen. */
  assumePod(pod: KubeObject, nodeName: string): void {
    this.place(podInfoOf(pod), nodeName, true);
  }

  /** Takes back an assumption whose binding failed; a pod seen as bound stays. */
  forgetPod(uid: string): void {
    if (this.pods.get(uid)?.isAssumed) this.displace(uid);
  }

  /** Counts the pod as gone before its deletion is seen. What is seen of it meanwhile, short of that, changes nothing. */
  assumeGone(uid: string): void {
    const state = this.pods.get(uid);
    if (state === undefined || state.isAssumed) return;
    this.displace(uid);
    this.gone.set(uid, state);
  }

  /** Takes that back: the deletion failed. A pod that was deleted stays away. */
  comeBack(uid: string): void {
    const state = this.gone.get(uid);
    if (state === undefined) return;
    this.gone.delete(uid);
    this.place(state.info, state.nodeName, false);
  }

  isAssumed(uid: string): boolean {
    return this.pods.get(uid)?.isAssumed ?? false;
  }

  podOn(uid: string): { pod: PodInfo; nodeName: string } | undefined {
    const state = this.pods.get(uid);
    return state && { pod: state.info, nodeName: state.nodeName };
  }

  /** One of the kinds that decisions read (`persistentvolumeclaims`, `services`, …); others are ignored. */
  setObject(resource: string, object: KubeObject): void {
    if (isListedResource(resource)) this.listers.table(resource).set(object);
  }

  deleteObject(resource: string, namespace: string, name: string): void {
    if (isListedResource(resource)) this.listers.table(resource).delete(namespace, name);
  }

  setObjects(resource: ListedResource, objects: Iterable<KubeObject>): void {
    const table = this.listers.table(resource);
    table.clear();
    for (const object of objects) table.set(object);
  }

  snapshot(): Snapshot {
    this.order ??= this.tree.list().map((name) => this.nodeInfos.get(name) as NodeInfo);
    return {
      nodes: this.order,
      nodesWithAffinity: this.withAffinity,
      nodesWithRequiredAntiAffinity: this.withRequiredAntiAffinity,
      listers: this.listers,
      memos: this.memos,
      slotCount: this.slotCount,
      get: (nodeName) => {
        const info = this.nodeInfos.get(nodeName);
        return info?.node === undefined ? undefined : info;
      },
      claimUseCount: (claimKey) => this.claimUses.get(claimKey) ?? 0,
    };
  }

  private infoOf(nodeName: string): NodeInfo {
    let info = this.nodeInfos.get(nodeName);
    if (info === undefined) {
      info = new NodeInfo(nodeName, this.freeSlots.pop() ?? this.slotCount++);
      this.nodeInfos.set(nodeName, info);
    }
    return info;
  }

  private drop(info: NodeInfo): void {
    this.nodeInfos.delete(info.name);
    this.freeSlots.push(info.slot);
  }

  private place(pod: PodInfo, nodeName: string, isAssumed: boolean): void {
    if (this.gone.has(pod.uid)) {
      this.gone.set(pod.uid, { info: pod, nodeName, isAssumed });
      return;
    }
    const known = this.pods.get(pod.uid);
    if (known !== undefined) {
      if (known.info === pod && known.nodeName === nodeName && (isAssumed || !known.isAssumed)) return;
      this.displace(pod.uid);
    }
    this.pods.set(pod.uid, { info: pod, nodeName, isAssumed });
    const node = this.infoOf(nodeName);
    node.addPod(pod, isAssumed);
    for (const claim of pod.claimKeys) this.claimUses.set(claim, (this.claimUses.get(claim) ?? 0) + 1);
    this.touch(node);
  }

  private displace(uid: string): void {
    const state = this.pods.get(uid);
    if (state === undefined) return;
    this.pods.delete(uid);
    const node = this.infoOf(state.nodeName);
    node.removePod(uid);
    for (const claim of state.info.claimKeys) {
      const count = (this.claimUses.get(claim) ?? 0) - 1;
      if (count > 0) this.claimUses.set(claim, count);
      else this.claimUses.delete(claim);
    }
    this.touch(node);
    if (node.node === undefined && node.pods.length === 0) this.drop(node);
  }

  /** Lists of nodes by what their pods ask hold known nodes only. */
  private touch(node: NodeInfo): void {
    this.changes.record(node, this.nodeInfos.size);
    const isKnown = node.node !== undefined;
    keepIf(this.withAffinity, node, isKnown && node.podsWithAffinity.length > 0);
    keepIf(this.withRequiredAntiAffinity, node, isKnown && node.podsWithRequiredAntiAffinity.length > 0);
  }
}

function keepIf(set: Set<NodeInfo>, node: NodeInfo, condition: boolean): void {
  if (condition) set.add(node);
  else set.delete(node);
}
