import type { Decision } from '#libs/control-loop';
import { isTerminal, type ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { podInfoOf, type AttemptResult, type PodInfo, type PreemptionOutcome } from '#libs/scheduling';
import type { DecisionMoment } from '../replay/machine';
import { overspentBudgets, type OverspentBudget } from './overspent-budgets';
import { refusalWords } from './refusal-words';

/** Knows the scheduling attempts in decisions. The scheduler brings it along. */
export interface AttemptExplainer {
  /** Whether it knows the controller of this name. */
  explains(controller: string): boolean;
  /** The attempt in a decision that was made with every node looked at; undefined where there is none in it. */
  attemptOf(decision: Decision): AttemptResult | undefined;
}

export interface NodeVerdict {
  node: string;
  verdict: 'fits' | 'refused';
  plugin?: string;
  reasons?: readonly string[];
  /** The reasons with what was wanted and what was there; absent in clusters of many nodes. */
  details?: readonly string[];
  /** Removing pods could help (Unschedulable), or not (UnschedulableAndUnresolvable). */
  code?: string;
  total?: number;
  scores?: Record<string, number>;
}

export interface VictimChoice {
  pod: string;
  priority: number;
  /** Where it is another one than the candidate: its node (CrossNodePreemption). */
  node?: string;
  /** The budget that its removal overspends. */
  budget?: OverspentBudget;
}

export interface ExplainedCandidate {
  node: string;
  victims: VictimChoice[];
  /** Lower-priority pods of the node that could stay. */
  reprieved: VictimChoice[];
  budgetViolations: number;
  chosen: boolean;
}

/** With more nodes than these the verdicts are told by groups, and each node's numbers by nobody. */
const detailedNodesMax = 12;

/** One attempt with all its alternatives, made again from the log: nothing of this was stored. */
export interface ExplainedAttempt {
  decision: string;
  position: number;
  /** Cluster time, ms since the epoch. */
  time: number;
  pod: string;
  priority: number;
  outcome: 'bound' | 'nominated' | 'unschedulable' | 'error';
  node?: string;
  message?: string;
  nominatedNodeUsed?: boolean;
  best?: readonly string[];
  nodes: NodeVerdict[];
  preemption?: {
    eligible: boolean;
    candidates: ExplainedCandidate[];
    /** Nodes tried that are no candidates, and why. */
    rejected: { node: string; reasons: readonly string[] }[];
    decidedBy?: string;
    /** Nodes that tied; chance took one. */
    best: readonly string[];
  };
  /** Upstream's oddities that show in this attempt. */
  oddities: string[];
}

export function explainedAttempt(
  { decision, position, context, cluster }: DecisionMoment,
  pod: KubeObject,
  result: AttemptResult,
): ExplainedAttempt {
  const common = {
    decision,
    position,
    time: context.now,
    pod: `${pod.metadata.namespace}/${pod.metadata.name}`,
    priority: (pod.spec?.priority as number | undefined) ?? 0,
  };
  if (result.kind === 'error') return { ...common, outcome: 'error', message: result.message, nodes: [], oddities: [] };
  const nodes = verdicts(result, pod, cluster);
  if (result.kind === 'bound') {
    return {
      ...common,
      outcome: 'bound',
      node: result.node,
      nominatedNodeUsed: result.nominatedNodeUsed,
      best: result.best,
      nodes,
      oddities: [],
    };
  }
  const preemption = result.postFilter?.preemption;
  const chosen = preemption?.chosen;
  return {
    ...common,
    outcome: chosen ? 'nominated' : 'unschedulable',
    node: chosen?.node,
    message: result.message,
    nodes,
    preemption: preemption && explainedPreemption(preemption, common.priority, cluster),
    oddities: chosen ? odditiesOf(chosen.victims) : [],
  };
}

function verdicts(result: Exclude<AttemptResult, { kind: 'error' }>, pod: KubeObject, cluster: ClusterState): NodeVerdict[] {
  const feasible = new Set(result.feasible);
  const scores = result.kind === 'bound' ? result.scores : undefined;
  const list: NodeVerdict[] = [];
  const all = [...cluster.list('nodes')];
  for (const object of all) {
    const node = object.metadata.name;
    if (feasible.has(node)) {
      const index = scores?.nodes.indexOf(node) ?? -1;
      if (!scores || index < 0) list.push({ node, verdict: 'fits' });
      else {
        const byPlugin = Object.fromEntries([...scores.byPlugin].map(([plugin, values]) => [plugin, values[index] as number]));
        list.push({ node, verdict: 'fits', total: scores.totals[index], scores: byPlugin });
      }
      continue;
    }
    const status = result.diagnosis.statusOf(node);
    const details = all.length > detailedNodesMax ? undefined : status.reasons.map((reason) => refusalWords(reason, pod, object, cluster));
    list.push({
      node,
      verdict: 'refused',
      plugin: status.plugin,
      reasons: status.reasons,
      ...(details ? { details } : {}),
      code: status.code,
    });
  }
  return list;
}

function explainedPreemption(outcome: PreemptionOutcome, priority: number, cluster: ClusterState): ExplainedAttempt['preemption'] {
  return {
    eligible: outcome.isEligible,
    candidates: outcome.candidates.map((candidate) =>
      explainedCandidate(candidate, candidate.node === outcome.chosen?.node, priority, cluster),
    ),
    rejected: [...outcome.rejections].map(([node, status]) => ({ node, reasons: status.reasons })),
    decidedBy: outcome.decidedBy,
    best: outcome.best,
  };
}

function explainedCandidate(
  { node, victims, pdbViolationCount }: PreemptionOutcome['candidates'][number],
  chosen: boolean,
  priority: number,
  cluster: ClusterState,
): ExplainedCandidate {
  const removed = new Set(victims.map(({ uid }) => uid));
  const lower: KubeObject[] = [];
  for (const pod of cluster.indices.podsOnNode(node).values()) {
    if (!isTerminal(pod) && podInfoOf(pod).priority < priority) lower.push(pod);
  }
  lower.sort(byImportance);
  const overspent = overspentBudgets(lower, cluster);
  const chosenPod = (pod: KubeObject): VictimChoice => {
    const budget = overspent.get(pod.metadata.uid);
    return { ...choice(pod, node), ...(budget ? { budget } : {}) };
  };
  return {
    node,
    victims: victims.map(({ pod }) => chosenPod(pod)),
    reprieved: lower.filter(({ metadata }) => !removed.has(metadata.uid)).map(chosenPod),
    budgetViolations: pdbViolationCount,
    chosen,
  };
}

/** Upstream `MoreImportantPod`: the higher priority first, then the one that has run for longer. */
function byImportance(a: KubeObject, b: KubeObject): number {
  const [first, second] = [podInfoOf(a), podInfoOf(b)];
  return second.priority - first.priority || (first.startTime ?? Infinity) - (second.startTime ?? Infinity);
}

function choice(pod: KubeObject, candidate?: string): VictimChoice {
  const node = pod.spec?.nodeName as string | undefined;
  return {
    pod: `${pod.metadata.namespace}/${pod.metadata.name}`,
    priority: (pod.spec?.priority as number | undefined) ?? 0,
    ...(candidate === undefined || node === undefined || node === candidate ? {} : { node }),
  };
}

function odditiesOf(victims: readonly PodInfo[]): string[] {
  const again = victims
    .filter(({ pod }) => pod.metadata.deletionTimestamp)
    .map(({ pod }) => `${pod.metadata.namespace}/${pod.metadata.name}`);
  if (again.length === 0) return [];
  return [
    `${again.join(', ')} ${again.length === 1 ? 'was' : 'were'} going already; kube-scheduler names such victims again, and so does this one`,
  ];
}
