import type { KubeObject } from '#libs/kernel';
import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint, Hint } from '../../framework/events';
import type { FilterPlugin, NodeNames, PreFilterPlugin, PreScorePlugin, ScorePlugin } from '../../framework/interface';
import type { RawNodeAffinity } from '../../framework/kube-types';
import type { PreferredTerm, RequiredNodeAffinity } from '../../framework/node-affinity';
import { compilePreferredTerms, preferredScore, requiredNodeAffinityMatches, requiredNodeAffinityOf } from '../../framework/node-affinity';
import type { NodeInfo } from '../../framework/node-info';
import { defaultNormalizeScores } from '../../framework/normalize';
import type { PodInfo } from '../../framework/pod-info';
import type { NodeSelector, RawNodeSelectorTerm } from '../../framework/selectors';
import { compileNodeSelector, noLabels, nodeSelectorMatches } from '../../framework/selectors';
import type { Status } from '../../framework/status';
import { skip, unresolvable } from '../../framework/status';

const name = 'NodeAffinity';
const notMatched = unresolvable(name, "node(s) didn't match Pod's node affinity/selector");
const notEnforced = unresolvable(name, "node(s) didn't match scheduler-enforced node affinity");
const conflict = unresolvable(name, 'pod affinity terms conflict');

class Required implements StateData {
  constructor(readonly affinity: RequiredNodeAffinity) {}
  clone(): this {
    return this;
  }
}
class Preferred implements StateData {
  constructor(readonly terms: readonly PreferredTerm[]) {}
  clone(): this {
    return this;
  }
}
const requiredKey = stateKey<Required>('NodeAffinity/required');
const preferredKey = stateKey<Preferred>('NodeAffinity/preferred');

export interface NodeAffinityArgs {
  addedAffinity?: RawNodeAffinity;
}

/** `nodeSelector` and node affinity of the pod, and the affinity the profile adds to every pod. */
export class NodeAffinity implements PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin {
  readonly name = name;
  readonly isNodeLocal = true;
  private readonly added: NodeSelector | undefined;
  private readonly addedPreferred: readonly PreferredTerm[] | undefined;

  constructor(args: NodeAffinityArgs = {}) {
    const required = args.addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    this.added = required && compileNodeSelector(required);
    this.addedPreferred = compilePreferredTerms(args.addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution);
  }

  preFilter(state: CycleState, pod: PodInfo): Status | NodeNames | undefined {
    const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    const affinity = requiredNodeAffinityOf(pod.spec);
    if (required === undefined && this.added === undefined && affinity.labels === undefined) return skip;
    state.write(requiredKey, new Required(affinity));
    const names = required && namedNodes(required.nodeSelectorTerms ?? []);
    if (names === undefined) return undefined;
    return names.size === 0 ? conflict : { nodeNames: names };
  }

  filter(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    if (this.added !== undefined && !nodeSelectorMatches(this.added, node)) return notEnforced;
    const required = state.read(requiredKey)?.affinity ?? requiredNodeAffinityOf(pod.spec);
    return requiredNodeAffinityMatches(required, node) ? undefined : notMatched;
  }

  preScore(state: CycleState, pod: PodInfo): Status | undefined {
    const own = compilePreferredTerms(pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution);
    if (own === undefined && this.addedPreferred === undefined) return skip;
    state.write(preferredKey, new Preferred([...(this.addedPreferred ?? []), ...(own ?? [])]));
    return undefined;
  }

  score(state: CycleState, _pod: PodInfo, node: NodeInfo): number {
    return preferredScore(state.read(preferredKey)?.terms ?? [], node);
  }

  normalizeScores(_state: CycleState, _pod: PodInfo, _nodes: readonly NodeInfo[], scores: number[]): void {
    defaultNormalizeScores(scores, false);
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [on('Node', Action.Add | Action.UpdateNodeLabel, (pod, old, updated) => this.afterNodeChange(pod, old, updated))];
  }

  private afterNodeChange(pod: PodInfo, old: KubeObject | undefined, updated: KubeObject | undefined): Hint {
    if (updated === undefined) return 'QueueSkip';
    if (this.added !== undefined && !nodeSelectorMatches(this.added, identity(updated))) return 'QueueSkip';
    const required = requiredNodeAffinityOf(pod.spec);
    if (!requiredNodeAffinityMatches(required, identity(updated))) return 'QueueSkip';
    return old !== undefined && requiredNodeAffinityMatches(required, identity(old)) ? 'QueueSkip' : 'Queue';
  }
}

function identity(node: KubeObject): { name: string; labels: Readonly<Record<string, string>> } {
  return { name: node.metadata.name, labels: node.metadata.labels ?? noLabels };
}

/**
 * The nodes that `metadata.name` expressions leave, if every term has one: expressions of a term are ANDed, terms ORed. Undefined
 * where some term leaves all nodes open.
 */
function namedNodes(terms: readonly RawNodeSelectorTerm[]): Set<string> | undefined {
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const term of terms) {
    let ofTerm: Set<string> | undefined;
    for (const { key, operator, values = [] } of term.matchFields ?? []) {
      if (key !== 'metadata.name' || operator !== 'In') continue;
      const before: Set<string> | undefined = ofTerm;
      ofTerm = new Set(before === undefined ? values : values.filter((value) => before.has(value)));
    }
    if (ofTerm === undefined) return undefined;
    for (const value of ofTerm) names.add(value);
  }
  return names;
}
