import type { KubeObject } from '#libs/kernel';
import type { HostPort } from './host-ports';
import { nodeSpec, nodeStatus } from './kube-types';
import type { PodInfo } from './pod-info';
import type { Resource } from './resource';
import { accumulate, copyResource, emptyResource, resourceFromMap } from './resource';
import type { Labels } from './selectors';
import { noLabels } from './selectors';
import type { Taint } from './tolerations';

/** An image as the whole cluster knows it: its size and how many nodes hold it. Shared by all nodes that do. */
export interface ImageState {
  readonly size: number;
  nodeCount: number;
}

const copyGeneration = -1;
const noTaints: readonly Taint[] = [];
const noImages: ReadonlyMap<string, ImageState> = new Map();

/**
 * A node with what its pods take of it, kept current as pods come and go. Exists also for a node that pods are bound to but that
 * is not known; such a one is in no snapshot.
 */
export class NodeInfo {
  node: KubeObject | undefined;
  labels: Labels = noLabels;
  taints: readonly Taint[] = noTaints;
  isUnschedulable = false;
  allocatable: Resource = emptyResource();
  images: ReadonlyMap<string, ImageState> = noImages;
  /**
   * Among equal victims their order decides. It is upstream's (`NodeInfo.AddPod`, `RemovePod`), but that assumed pods are the last,
   * in the order in which they were assumed: so it is the same for whoever folds the log and then adds the assumptions.
   */
  pods: PodInfo[] = [];
  podsWithAffinity: PodInfo[] = [];
  podsWithRequiredAntiAffinity: PodInfo[] = [];
  /** A set, as upstream's: of two pods with one and the same port the first to leave frees it. */
  usedPorts = new Map<string, HostPort>();
  requested: Resource = emptyResource();
  nonZeroMilliCpu = 0;
  nonZeroMemory = 0;
  claimUseCounts: Map<string, number> | undefined;
  private assumedCount = 0;
  /** Grows with every change, over all nodes of a cache; negative: a copy, for which nothing is remembered. */
  generation = copyGeneration;

  /** `slot`: a small number of its own among the nodes of a cache. */
  constructor(
    readonly name: string,
    readonly slot = 0,
  ) {}

  setNode(node: KubeObject): void {
    const spec = nodeSpec(node);
    this.node = node;
    this.labels = node.metadata.labels ?? noLabels;
    this.taints = spec.taints ?? noTaints;
    this.isUnschedulable = spec.unschedulable === true;
    this.allocatable = resourceFromMap(nodeStatus(node).allocatable);
  }

  removeNode(): void {
    this.node = undefined;
    this.labels = noLabels;
    this.taints = noTaints;
    this.isUnschedulable = false;
    this.allocatable = emptyResource();
    this.images = noImages;
  }

  addPod(pod: PodInfo, isAssumed = false): void {
    if (isAssumed) this.assumedCount++;
    if (isAssumed || this.assumedCount === 0) this.pods.push(pod);
    else this.pods.splice(this.pods.length - this.assumedCount, 0, pod);
    if (pod.hasAffinity) {
      this.podsWithAffinity.push(pod);
      if (pod.requiredAntiAffinity.length > 0) this.podsWithRequiredAntiAffinity.push(pod);
    }
    this.account(pod, 1);
    for (const port of pod.hostPorts) this.usedPorts.set(port.key, port);
    for (const claim of pod.claimKeys) {
      this.claimUseCounts ??= new Map();
      this.claimUseCounts.set(claim, (this.claimUseCounts.get(claim) ?? 0) + 1);
    }
  }

  /** False when no pod of that uid is here. */
  removePod(uid: string): boolean {
    const place = placeOf(this.pods, uid);
    if (place < 0) return false;
    const pod = this.pods[place] as PodInfo;
    this.takeAt(place);
    if (pod.hasAffinity) {
      this.podsWithAffinity.splice(placeOf(this.podsWithAffinity, uid), 1);
      if (pod.requiredAntiAffinity.length > 0) this.podsWithRequiredAntiAffinity.splice(placeOf(this.podsWithRequiredAntiAffinity, uid), 1);
    }
    this.account(pod, -1);
    for (const port of pod.hostPorts) this.usedPorts.delete(port.key);
    for (const claim of pod.claimKeys) {
      const count = (this.claimUseCounts?.get(claim) ?? 0) - 1;
      if (count > 0) this.claimUseCounts?.set(claim, count);
      else this.claimUseCounts?.delete(claim);
    }
    return true;
  }

  /** A copy that can be changed without the original noticing: for "what if" questions. */
  clone(): NodeInfo {
    const copy = new NodeInfo(this.name, this.slot);
    copy.node = this.node;
    copy.labels = this.labels;
    copy.taints = this.taints;
    copy.isUnschedulable = this.isUnschedulable;
    copy.allocatable = this.allocatable;
    copy.images = this.images;
    copy.pods = this.pods.slice();
    copy.assumedCount = this.assumedCount;
    copy.podsWithAffinity = this.podsWithAffinity.slice();
    copy.podsWithRequiredAntiAffinity = this.podsWithRequiredAntiAffinity.slice();
    copy.usedPorts = new Map(this.usedPorts);
    copy.requested = copyResource(this.requested);
    copy.nonZeroMilliCpu = this.nonZeroMilliCpu;
    copy.nonZeroMemory = this.nonZeroMemory;
    copy.claimUseCounts = this.claimUseCounts && new Map(this.claimUseCounts);
    return copy;
  }

  /** The last takes the place of one that leaves; the assumed ones keep their order. */
  private takeAt(place: number): void {
    const lastSeen = this.pods.length - this.assumedCount - 1;
    if (place > lastSeen) {
      this.pods.splice(place, 1);
      this.assumedCount--;
      return;
    }
    this.pods[place] = this.pods[lastSeen] as PodInfo;
    this.pods.splice(lastSeen, 1);
  }

  private account(pod: PodInfo, sign: 1 | -1): void {
    accumulate(this.requested, pod.requests, sign);
    this.nonZeroMilliCpu += sign * pod.nonZeroMilliCpu;
    this.nonZeroMemory += sign * pod.nonZeroMemory;
  }
}

function placeOf(pods: readonly PodInfo[], uid: string): number {
  return pods.findIndex((pod) => pod.uid === uid);
}
