import type { NodeInfo } from './node-info';
import type { Status } from './status';
import { isRejected } from './status';

/** Why no node was found: the verdicts by node, and what decides how the pod is requeued. */
export class Diagnosis {
  readonly nodeStatuses = new Map<string, Status>();
  /** The verdict on every node without one of its own. */
  absentStatus: Status = { code: 'UnschedulableAndUnresolvable', reasons: [] };
  readonly unschedulablePlugins = new Set<string>();
  readonly pendingPlugins = new Set<string>();
  /** Set when a PreFilter plugin refused the pod before any node was looked at. */
  preFilterMessage = '';
  preFilterStatus: Status | undefined;
  /** The only nodes that were looked at, where PreFilter plugins narrowed them. */
  nodeNames: ReadonlySet<string> | undefined;
  postFilterMessage = '';

  statusOf(nodeName: string): Status {
    return this.nodeStatuses.get(nodeName) ?? this.absentStatus;
  }

  record(nodeName: string, status: Status): void {
    this.nodeStatuses.set(nodeName, status);
    this.addPlugin(status);
  }

  addPlugin(status: Status): void {
    if (status.plugin === undefined) return;
    if (isRejected(status)) this.unschedulablePlugins.add(status.plugin);
    if (status.code === 'Pending') this.pendingPlugins.add(status.plugin);
  }

  /** Nodes that were refused with just this code, in the order given. */
  nodesWithCode(code: Status['code'], nodes: readonly NodeInfo[]): NodeInfo[] {
    return nodes.filter((node) => this.statusOf(node.name).code === code);
  }
}

/** `<count> <reason>` for each reason, sorted as text, so that `10 x` comes before `2 y`. */
function reasonsHistogram(diagnosis: Diagnosis, nodeCount: number): string[] {
  // Verdicts are shared between nodes, so counting them first leaves few texts to count.
  const statuses = new Map<Status, number>();
  for (const status of diagnosis.nodeStatuses.values()) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const absent = nodeCount - diagnosis.nodeStatuses.size;
  if (absent > 0) statuses.set(diagnosis.absentStatus, (statuses.get(diagnosis.absentStatus) ?? 0) + absent);
  const reasons = new Map<string, number>();
  for (const [status, count] of statuses) {
    for (const reason of status.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  }
  return [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
}

/** The text of a FailedScheduling event and of the PodScheduled condition, untruncated. */
export function fitErrorMessage(diagnosis: Diagnosis, nodeCount: number): string {
  let message = `0/${nodeCount} nodes are available:`;
  if (diagnosis.preFilterMessage !== '') {
    message += ` ${diagnosis.preFilterMessage}.`;
  } else {
    const reasons = reasonsHistogram(diagnosis, nodeCount);
    if (reasons.length > 0) message += ` ${reasons.join(', ')}.`;
  }
  return diagnosis.postFilterMessage === '' ? message : `${message} ${diagnosis.postFilterMessage}`;
}
