import type { KubeObject } from '#libs/kernel';
import type {
  AttemptOptions,
  AttemptResult,
  ErrorResult,
  Examined,
  ExtenderNeeded,
  PostFilterOutcome,
  UnschedulableResult,
} from './attempt-result';
import { ExtenderDialogue, ExtenderQuestion } from './extenders/extender';
import { extenderScores, filterByExtenders } from './extenders/filter';
import { ExtendersInPreemption } from './extenders/preempt';
import { Diagnosis, fitErrorMessage } from './framework/diagnosis';
import type { CycleState } from './framework/cycle-state';
import { nominatedNode } from './framework/kube-types';
import type { NodeInfo } from './framework/node-info';
import { noNominatedPods } from './framework/nominated-pods';
import type { PodInfo } from './framework/pod-info';
import { podInfoOf } from './framework/pod-info';
import type { Framework, PreFilterOutcome } from './framework/runtime';
import type { Snapshot } from './framework/snapshot';
import type { Status } from './framework/status';
import { codeOf, isRejected, messageOf } from './framework/status';
import { bestNodes, scoreNodes } from './score-nodes';

const minFeasibleNodesToFind = 100;
const minFeasiblePercentage = 5;

/**
 * How many feasible nodes are enough. Small clusters are searched whole; in large ones the share falls with their size, from 50 %
 * to 5 %.
 */
export function feasibleNodesToFind(nodeCount: number, percentage: number): number {
  if (nodeCount < minFeasibleNodesToFind) return nodeCount;
  const share = percentage > 0 ? percentage : Math.max(minFeasiblePercentage, 50 - Math.trunc(nodeCount / 125));
  return Math.max(minFeasibleNodesToFind, Math.trunc((nodeCount * Math.min(share, 100)) / 100));
}

/** One scheduling attempt, from snapshot to decision. Changes nothing. */
export function schedulePod(snapshot: Snapshot, pod: KubeObject, options: AttemptOptions & { extenders?: undefined }): AttemptResult;
export function schedulePod(snapshot: Snapshot, pod: KubeObject, options: AttemptOptions): AttemptResult | ExtenderNeeded;
export function schedulePod(snapshot: Snapshot, pod: KubeObject, options: AttemptOptions): AttemptResult | ExtenderNeeded {
  try {
    return new Attempt(snapshot, podInfoOf(pod), options).run();
  } catch (error) {
    if (error instanceof ExtenderQuestion) return { kind: 'ask', call: error.call };
    throw error;
  }
}

const extenderName = 'Extender';

class Attempt {
  private readonly framework: Framework;
  private readonly state: CycleState;
  private readonly diagnosis = new Diagnosis();
  private readonly dialogue: ExtenderDialogue;
  private nextStart: number;
  private evaluated = 0;
  /** The nominated node's verdict, until the node is looked at among the others. */
  private refusedNomination: { node: NodeInfo; status: Status } | undefined;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly pod: PodInfo,
    private readonly options: AttemptOptions,
  ) {
    this.framework = options.profile;
    this.dialogue = new ExtenderDialogue(options.extenders ?? [], options.extenderAnswers ?? []);
    this.nextStart = options.nextStartNodeIndex ?? 0;
    this.state = this.framework.newState({
      snapshot,
      nominated: options.nominated ?? noNominatedPods,
      now: options.now,
      chance: options.chance,
      preemptionExtenders: this.dialogue.extenders.length > 0 ? new ExtendersInPreemption(this.dialogue) : undefined,
    });
  }

  run(): AttemptResult {
    const { nodes } = this.snapshot;
    if (nodes.length === 0) return this.failure('no nodes available to schedule pods', 'Unschedulable');
    const preFilter = this.framework.runPreFilter(this.state, this.pod);
    for (const plugin of preFilter.pluginsWithNodes) this.diagnosis.unschedulablePlugins.add(plugin);
    if (preFilter.status !== undefined) return this.refusedByPreFilter(preFilter.status);

    const nominated = this.nominatedNode();
    if (typeof nominated === 'string') return this.failure(nominated, 'SchedulerError');
    if (nominated !== undefined && !this.options.evaluateAll) return this.bound([nominated], true);

    const passed = this.findFeasible(this.eligibleNodes(preFilter));
    const found = typeof passed === 'string' ? passed : this.askExtenders(passed);
    if (typeof found === 'string') return this.failure(found, 'SchedulerError');
    if (nominated !== undefined) return this.bound([nominated], true, found);
    if (found.length === 0) return this.unschedulable();
    return this.bound(found, false);
  }

  /** The pod's nominated node, if it passes now: then no other is looked at. A text is an error. */
  private nominatedNode(): NodeInfo | string | undefined {
    const name = nominatedNode(this.pod.pod);
    const node = name === '' ? undefined : this.snapshot.get(name);
    if (node === undefined) return undefined;
    this.evaluated++;
    const status = this.framework.runFiltersWithNominatedPods(this.state, this.pod, node);
    if (status !== undefined) {
      if (!isRejected(status)) return messageOf(status);
      this.refusedNomination = { node, status };
      return undefined;
    }
    const filtered = filterByExtenders(this.dialogue, this.pod, [node]);
    return typeof filtered === 'string' ? filtered : filtered.feasible[0];
  }

  /** What extenders leave of the nodes that passed; a pod they refused a node waits for any change. */
  private askExtenders(nodes: readonly NodeInfo[]): readonly NodeInfo[] | string {
    if (this.dialogue.extenders.length === 0) return nodes;
    const filtered = filterByExtenders(this.dialogue, this.pod, nodes);
    if (typeof filtered === 'string') return filtered;
    for (const [node, status] of filtered.refusals) this.diagnosis.record(node, status);
    if (filtered.feasible.length !== nodes.length) this.diagnosis.unschedulablePlugins.add(extenderName);
    return filtered.feasible;
  }

  private eligibleNodes({ nodeNames, pluginsWithNodes }: PreFilterOutcome): readonly NodeInfo[] {
    if (nodeNames === undefined) return this.snapshot.nodes;
    this.diagnosis.nodeNames = nodeNames;
    this.diagnosis.absentStatus = {
      code: 'UnschedulableAndUnresolvable',
      reasons: [`node(s) didn't satisfy plugin(s) [${[...pluginsWithNodes].sort().join(' ')}]`],
    };
    if (nodeNames.size > this.snapshot.nodes.length) return this.snapshot.nodes.filter((node) => nodeNames.has(node.name));
    return [...nodeNames].map((name) => this.snapshot.get(name)).filter((node) => node !== undefined);
  }

  /** In list order from where the last attempt stopped, until enough are found. A text is an error. */
  private findFeasible(nodes: readonly NodeInfo[]): NodeInfo[] | string {
    const feasible: NodeInfo[] = [];
    const wanted = this.wantedCount(nodes.length);
    for (let i = 0; i < nodes.length && feasible.length < wanted; i++) {
      const node = nodes[(this.nextStart + i) % nodes.length] as NodeInfo;
      this.evaluated++;
      if (node === this.refusedNomination?.node) this.refusedNomination = undefined;
      const status = this.framework.runFiltersWithNominatedPods(this.state, this.pod, node);
      if (status === undefined) feasible.push(node);
      else if (isRejected(status)) this.diagnosis.record(node, status);
      else return messageOf(status);
    }
    if (this.refusedNomination !== undefined) this.diagnosis.record(this.refusedNomination.node, this.refusedNomination.status);
    this.nextStart = (this.nextStart + feasible.length + this.diagnosis.refusedCount) % this.snapshot.nodes.length;
    return feasible;
  }

  private wantedCount(nodeCount: number): number {
    if (this.options.evaluateAll) return nodeCount;
    const hasChoice =
      this.framework.plugins.score.length > 0 ||
      this.dialogue.extenders.some(({ filterVerb, prioritizeVerb }) => filterVerb !== '' || prioritizeVerb !== '');
    if (!hasChoice) return 1;
    return feasibleNodesToFind(nodeCount, this.framework.percentageOfNodesToScore ?? this.options.percentageOfNodesToScore ?? 0);
  }

  private bound(feasible: readonly NodeInfo[], nominatedNodeUsed: boolean, all = feasible): AttemptResult {
    const examined = this.examined(all);
    const only = feasible[0] as NodeInfo;
    if (feasible.length === 1) {
      return { kind: 'bound', node: only.name, best: [only.name], nominatedNodeUsed, state: this.state, ...examined };
    }
    const scores = scoreNodes(this.framework, this.state, this.pod, feasible, extenderScores(this.dialogue, this.pod, feasible));
    if ('code' in scores) return this.failure(messageOf(scores), 'SchedulerError');
    const best = bestNodes(scores);
    const node = best[best.length > 1 ? this.options.chance(best.length) : 0] as string;
    return { kind: 'bound', node, best, nominatedNodeUsed, scores, state: this.state, ...examined };
  }

  private refusedByPreFilter(status: Status): AttemptResult {
    if (!isRejected(status)) return this.failure(messageOf(status), 'SchedulerError');
    this.diagnosis.absentStatus = status;
    this.diagnosis.preFilterStatus = status;
    this.diagnosis.preFilterMessage = messageOf(status);
    this.diagnosis.addPlugin(status);
    return this.unschedulable();
  }

  private unschedulable(): UnschedulableResult {
    let postFilter: PostFilterOutcome | undefined;
    if (this.framework.plugins.postFilter.length > 0) {
      const result = this.framework.runPostFilter(this.state, this.pod, this.diagnosis);
      const message = messageOf(result.status);
      this.diagnosis.postFilterMessage = message;
      const { status, nominatedNodeName, preemption, writes = [] } = result;
      postFilter = { code: codeOf(status), message, nominatedNodeName, preemption, writes };
    }
    return {
      kind: 'unschedulable',
      message: fitErrorMessage(this.diagnosis, this.snapshot.nodes.length),
      unschedulablePlugins: this.diagnosis.unschedulablePlugins,
      pendingPlugins: this.diagnosis.pendingPlugins,
      postFilter,
      ...this.examined([]),
    };
  }

  private examined(feasible: readonly NodeInfo[]): Examined {
    return {
      nodeCount: this.snapshot.nodes.length,
      evaluatedCount: this.evaluated,
      feasible: feasible.map((node) => node.name),
      diagnosis: this.diagnosis,
      nextStartNodeIndex: this.nextStart,
    };
  }

  private failure(message: string, reason: ErrorResult['reason']): ErrorResult {
    return { kind: 'error', message, reason, nextStartNodeIndex: this.nextStart };
  }
}
