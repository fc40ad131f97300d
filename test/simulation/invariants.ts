// What has to hold at every moment of every cluster, checked on its log, append by append.
import { ClusterState, LogFold, type FoldedAppend } from '#libs/cluster-state';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { clusterPrefix, type VictimReference } from '#libs/events';
import { parseQuantity, type JsonObject, type KubeObject } from '#libs/kernel';
import { compileObjectSelector } from '#libs/kube-api';
import { brokenByPod, brokenByRemoval } from './pod-invariants';

/** Gives every breach in words; an empty list is what is wanted. */
export async function brokenInvariants(log: EventLog, cluster = 'local'): Promise<string[]> {
  const check = new InvariantCheck(cluster);
  for await (const page of log.readAll({ filter: { streamPrefixes: [clusterPrefix(cluster)] } })) {
    for (const event of page) {
      check.add(event);
    }
  }
  return check.breaches;
}

/** Who writes what kubelets do. */
const kubeletActor = 'kubelet';

class InvariantCheck {
  readonly breaches: string[] = [];
  private readonly state: ClusterState;
  private readonly fold: LogFold;
  /** Node of each pod that was ever bound, by uid. */
  private readonly boundTo = new Map<string, string>();

  constructor(cluster: string) {
    this.state = new ClusterState(cluster);
    this.fold = new LogFold(this.state);
  }

  add(event: RecordedEvent): void {
    if (event.type === 'EvictionGranted') this.budgetHasRoom(event.data);
    for (const folded of this.fold.add(event) ?? []) {
      for (const { type, data } of folded.events) if (type === 'PreemptionDecided') this.victimsAreLower(data);
      if (folded.change?.resource === 'pods') this.podChanged(folded.change, String(event.metadata.actor));
    }
  }

  private podChanged({ before, object, type }: NonNullable<FoldedAppend['change']>, actor: string): void {
    const { uid, name } = object.metadata;
    const node = object.spec?.nodeName as string | undefined;
    if (type !== 'DELETED') {
      const kubeletStartedAt = node === undefined ? undefined : this.state.decisions.nodes.of(node).kubeletStartedAt;
      this.breaches.push(...brokenByPod(before?.metadata.uid === uid ? before : undefined, object, kubeletStartedAt));
    } else if (actor === kubeletActor) this.breaches.push(...brokenByRemoval(before ?? object));
    if (!node || type === 'DELETED') return;
    const known = this.boundTo.get(uid);
    if (known !== undefined && known !== node) this.breaches.push(`pod ${name} was bound to ${known} and then to ${node}`);
    this.boundTo.set(uid, node);
    if (before?.spec?.nodeName !== node) this.nodeHasRoom(node);
  }

  private nodeHasRoom(name: string): void {
    const node = this.state.get('nodes', undefined, name);
    const allocatable = (node?.status?.allocatable ?? {}) as Record<string, string>;
    const pods = [...this.state.indices.podsOnNode(name).values()].filter((pod) => !isOver(pod));
    if (pods.length > Number(allocatable.pods)) this.breaches.push(`node ${name} has ${pods.length} pods, more than ${allocatable.pods}`);
    for (const resource of ['cpu', 'memory']) {
      const used = pods.reduce((sum, pod) => sum + requestOf(pod, resource), 0n);
      if (used > nano(allocatable[resource]))
        this.breaches.push(`node ${name} is over-committed in ${resource} by ${pods.map(({ metadata }) => metadata.name).join(', ')}`);
    }
  }

  private victimsAreLower(data: JsonObject): void {
    for (const { name, priority } of data.victims as unknown as VictimReference[]) {
      if (priority >= (data.priority as number))
        this.breaches.push(`${String(data.pod)} (${String(data.priority)}) preempts ${name} (${priority})`);
    }
  }

  /** A budget that is charged for an eviction must, before it, have one pod more than it wants: counted here from the pods themselves. */
  private budgetHasRoom({ namespace, pod, budget }: JsonObject): void {
    const object = budget === undefined ? undefined : this.state.get('poddisruptionbudgets.policy', namespace as string, budget as string);
    if (!object) return;
    const selector = compileObjectSelector(object.spec.selector);
    const disrupted = new Set(Object.keys(object.status?.disruptedPods ?? {}));
    // The budget is charged before the verdict is given: this very pod may be on its list.
    disrupted.delete(pod as string);
    const healthy = [...this.state.list('pods', namespace as string)].filter(
      (candidate) => selector.matches(candidate.metadata.labels ?? {}) && isAvailable(candidate) && !disrupted.has(candidate.metadata.name),
    );
    const desired = object.status?.desiredHealthy as number;
    if (healthy.length <= desired)
      this.breaches.push(`the eviction of ${String(pod)} overspends ${String(budget)}: ${healthy.length} healthy, ${desired} wanted`);
  }
}

function isOver({ status }: KubeObject): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function isAvailable({ metadata, status }: KubeObject): boolean {
  const conditions = (status?.conditions ?? []) as JsonObject[];
  return !metadata.deletionTimestamp && conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
}

/** Of the main containers: enough for pods whose init containers ask for no more. */
function requestOf({ spec }: KubeObject, resource: string): bigint {
  const containers = (spec?.containers ?? []) as { resources?: { requests?: Record<string, string> } }[];
  return containers.reduce((sum, { resources }) => sum + nano(resources?.requests?.[resource]), 0n);
}

function nano(quantity: string | undefined): bigint {
  return (quantity === undefined ? undefined : parseQuantity(quantity)?.nano) ?? 0n;
}
