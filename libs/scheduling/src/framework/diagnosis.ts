import type { NodeInfo } from './node-info';
import type { Status } from './status';
import { isRejected } from './status';

/** Why no node was found: the verdicts by node, and what decides how the pod is requeued. */
export class Diagnosis {
  private readonly refusedNodes: NodeInfo[] = [];
  private readonly refusals: Status[] = [];
  private byName: Map<string, Status> | undefined;
  private wasAsked = false;
  /** The verdicts again, equal ones in a row counted together: most are one shared object, many times over. */
  private readonly runs: { readonly status: Status; count: number }[] = [];
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

  /** Nodes with a verdict of their own. */
  get nodeStatuses(): ReadonlyMap<string, Status> {
    if (this.byName?.size !== this.refusedNodes.length) {
      this.byName = new Map(this.refusedNodes.map((node, i) => [node.name, this.refusals[i] as Status]));
    }
    return this.byName;
  }

  get refusedCount(): number {
    return this.refusedNodes.length;
  }

  statusOf(nodeName: string): Status {
    // One question is answered faster than an index is made.
    if (this.byName === undefined && !this.wasAsked) {
      this.wasAsked = true;
      const place = this.refusedNodes.findLastIndex((node) => node.name === nodeName);
      return this.refusals[place] ?? this.absentStatus;
    }
    return this.nodeStatuses.get(nodeName) ?? this.absentStatus;
  }

  /** Once a node. */
  record(node: NodeInfo, status: Status): void {
    this.refusedNodes.push(node);
    this.refusals.push(status);
    const run = this.runs.at(-1);
    if (run?.status === status) {
      run.count++;
      return;
    }
    this.runs.push({ status, count: 1 });
    this.addPlugin(status);
  }

  addPlugin(status: Status): void {
    if (status.plugin === undefined) return;
    if (isRejected(status)) this.unschedulablePlugins.add(status.plugin);
    if (status.code === 'Pending') this.pendingPlugins.add(status.plugin);
  }

  /** Nodes that were refused with just this code, those with a verdict of their own in the order they were looked at. */
  nodesWithCode(code: Status['code'], nodes: readonly NodeInfo[]): NodeInfo[] {
    if (this.absentStatus.code === code) return nodes.filter((node) => this.statusOf(node.name).code === code);
    return this.refusedNodes.filter((_node, i) => this.refusals[i]?.code === code);
  }

  histogram(nodeCount: number): string[] {
    return reasonsHistogram(this.runs, { status: this.absentStatus, count: nodeCount - this.refusals.length });
  }
}

interface Verdicts {
  readonly status: Status;
  readonly count: number;
}

/** `<count> <reason>` for each reason, sorted as text, so that `10 x` comes before `2 y`. */
export function reasonsHistogram(...verdicts: readonly (Verdicts | readonly Verdicts[])[]): string[] {
  const reasons = new Map<string, number>();
  for (const { status, count } of verdicts.flat()) {
    if (count > 0) for (const reason of status.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  }
  return [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
}

/** The text of a FailedScheduling event and of the PodScheduled condition, untruncated. */
export function fitErrorMessage(diagnosis: Diagnosis, nodeCount: number): string {
  const { preFilterMessage, postFilterMessage } = diagnosis;
  const message =
    preFilterMessage === ''
      ? availabilityMessage(nodeCount, diagnosis.histogram(nodeCount))
      : availabilityMessage(nodeCount, [preFilterMessage]);
  return postFilterMessage === '' ? message : `${message} ${postFilterMessage}`;
}

export function availabilityMessage(nodeCount: number, reasons: readonly string[]): string {
  return `0/${nodeCount} nodes are available:${reasons.length === 0 ? '' : ` ${reasons.join(', ')}.`}`;
}
