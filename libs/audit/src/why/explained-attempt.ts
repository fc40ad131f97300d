import type { DecisionContext } from '#libs/control-loop';
import type { AssumedDecision } from '#libs/control-loop';
import type { ClusterState } from '#libs/cluster-state';
import type { Basis } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import type { AttemptResult, PodInfo, PreemptionOutcome } from '#libs/scheduling';

/** Makes a scheduling attempt again with every node looked at. The scheduler app brings it along. */
export interface AttemptExplainer {
  controller: string;
  explain(
    state: never,
    cluster: ClusterState,
    basis: Basis,
    context: DecisionContext,
    assumed: readonly AssumedDecision[],
  ): { pod: KubeObject; result: AttemptResult } | undefined;
}

export interface NodeVerdict {
  node: string;
  verdict: 'fits' | 'refused';
  plugin?: string;
  reasons?: readonly string[];
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
}

export interface ExplainedCandidate {
  node: string;
  victims: VictimChoice[];
  /** Lower-priority pods of the node that could stay. */
  reprieved: VictimChoice[];
  budgetViolations: number;
  chosen: boolean;
}

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

export function explainedAttempt(basis: Basis, pod: KubeObject, result: AttemptResult, cluster: ClusterState): ExplainedAttempt {
  const common = {
    decision: basis.decision,
    position: basis.position,
    time: basis.now,
    pod: `${pod.metadata.namespace}/${pod.metadata.name}`,
    priority: (pod.spec?.priority as number | undefined) ?? 0,
  };
  if (result.kind === 'error') return { ...common, outcome: 'error', message: result.message, nodes: [], oddities: [] };
  const nodes = verdicts(result, cluster);
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

function verdicts(result: Exclude<AttemptResult, { kind: 'error' }>, cluster: ClusterState): NodeVerdict[] {
  const feasible = new Set(result.feasible);
  const scores = result.kind === 'bound' ? result.scores : undefined;
  const list: NodeVerdict[] = [];
  for (const { metadata } of cluster.list('nodes')) {
    const node = metadata.name;
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
    list.push({ node, verdict: 'refused', plugin: status.plugin, reasons: status.reasons, code: status.code });
  }
  return list;
}

function explainedPreemption(outcome: PreemptionOutcome, priority: number, cluster: ClusterState): ExplainedAttempt['preemption'] {
  return {
    eligible: outcome.isEligible,
    candidates: outcome.candidates.map((candidate) => {
      const victims = new Set(candidate.victims.map(({ uid }) => uid));
      const spared: VictimChoice[] = [];
      for (const pod of cluster.indices.podsOnNode(candidate.node).values()) {
        const lower = ((pod.spec?.priority as number | undefined) ?? 0) < priority;
        const gone = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
        if (lower && !gone && !victims.has(pod.metadata.uid)) spared.push(choice(pod));
      }
      return {
        node: candidate.node,
        victims: candidate.victims.map(({ pod }) => choice(pod, candidate.node)),
        reprieved: spared,
        budgetViolations: candidate.pdbViolationCount,
        chosen: candidate.node === outcome.chosen?.node,
      };
    }),
    rejected: [...outcome.rejections].map(([node, status]) => ({ node, reasons: status.reasons })),
    decidedBy: outcome.decidedBy,
    best: outcome.best,
  };
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
