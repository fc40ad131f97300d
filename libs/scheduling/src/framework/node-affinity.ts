import type { RawPodSpec } from './kube-types';
import type { NodeIdentity, NodeSelector, NodeSelectorTerm, RawNodeSelectorTerm, Selector } from './selectors';
import {
  compileNodeSelector,
  compileNodeSelectorTerm,
  nodeSelectorMatches,
  nodeTermMatches,
  selectorFromMap,
  selectorMatches,
} from './selectors';

/** What a pod requires of its node: `nodeSelector` and the required node affinity, both. */
export interface RequiredNodeAffinity {
  readonly labels: Selector | undefined;
  readonly affinity: NodeSelector | undefined;
}

const known = new WeakMap<RawPodSpec, RequiredNodeAffinity>();

export function requiredNodeAffinityOf(spec: RawPodSpec): RequiredNodeAffinity {
  let compiled = known.get(spec);
  if (compiled === undefined) {
    const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    compiled = {
      labels: spec.nodeSelector && Object.keys(spec.nodeSelector).length > 0 ? selectorFromMap(spec.nodeSelector) : undefined,
      affinity: required && compileNodeSelector(required),
    };
    known.set(spec, compiled);
  }
  return compiled;
}

export function requiredNodeAffinityMatches(required: RequiredNodeAffinity, node: NodeIdentity): boolean {
  if (required.labels !== undefined && !selectorMatches(required.labels, node.labels)) return false;
  return required.affinity === undefined || nodeSelectorMatches(required.affinity, node);
}

export interface PreferredTerm {
  readonly term: NodeSelectorTerm;
  readonly weight: number;
}

export function compilePreferredTerms(
  raw: { weight: number; preference: RawNodeSelectorTerm }[] | undefined,
): readonly PreferredTerm[] | undefined {
  if (raw === undefined || raw.length === 0) return undefined;
  const terms: PreferredTerm[] = [];
  for (const { weight, preference } of raw) {
    const term = weight === 0 ? undefined : compileNodeSelectorTerm(preference);
    if (term !== undefined) terms.push({ term, weight });
  }
  return terms;
}

export function preferredScore(terms: readonly PreferredTerm[], node: NodeIdentity): number {
  let sum = 0;
  for (const { term, weight } of terms) if (nodeTermMatches(term, node)) sum += weight;
  return sum;
}
