import type { Json } from '#libs/kernel';
import type { RawAffinityTerm, RawPodAffinity } from './kube-types';
import type { Labels, Selector } from './selectors';
import { compileLabelSelector, isEmptySelector, noLabels, selectNothing, selectorMatches } from './selectors';

/** A compiled (anti-)affinity term of a pod. */
export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>;
  readonly selector: Selector;
  readonly namespaceSelector: Selector;
  readonly topologyKey: string;
  /** Equal for equal terms of pods in one namespace; names the term in indices. */
  readonly id: string;
}

export interface WeightedAffinityTerm extends AffinityTerm {
  readonly weight: number;
}

export interface AffinitySubject {
  readonly namespace: string;
  readonly labels: Labels;
}

/** Without namespaces and namespaceSelector the term means the pod's own namespace. */
function compileTerm(raw: RawAffinityTerm, ownNamespace: string): AffinityTerm {
  const named = raw.namespaces ?? [];
  const own = named.length === 0 && (raw.namespaceSelector === undefined || raw.namespaceSelector === null);
  const id = JSON.stringify([
    own ? [ownNamespace] : named,
    raw.namespaceSelector ?? null,
    raw.labelSelector ?? null,
    raw.topologyKey,
  ] as Json);
  return {
    namespaces: new Set(own ? [ownNamespace] : named),
    selector: compileLabelSelector(raw.labelSelector),
    namespaceSelector: compileLabelSelector(raw.namespaceSelector),
    topologyKey: raw.topologyKey,
    id,
  };
}

/** Required terms of a pod in this namespace, compiled. */
export function requiredTerms(affinity: RawPodAffinity | undefined, namespace: string): readonly AffinityTerm[] {
  const raw = affinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return raw === undefined || raw.length === 0 ? noTerms : raw.map((term) => compileTerm(term, namespace));
}

/** Preferred terms of a pod in this namespace, compiled, with their weights (1 to 100). */
export function preferredTerms(affinity: RawPodAffinity | undefined, namespace: string): readonly WeightedAffinityTerm[] {
  const raw = affinity?.preferredDuringSchedulingIgnoredDuringExecution;
  if (raw === undefined || raw.length === 0) return noTerms;
  return raw.map((term) => ({ ...compileTerm(term.podAffinityTerm, namespace), weight: term.weight }));
}

const noTerms: readonly never[] = [];

/** `namespaceLabels`: those of the subject's namespace, for terms whose namespaceSelector was not resolved to names. */
export function termMatches(term: AffinityTerm, subject: AffinitySubject, namespaceLabels: Labels | undefined): boolean {
  if (!term.namespaces.has(subject.namespace)) {
    if (!selectorMatches(term.namespaceSelector, namespaceLabels ?? noLabels)) return false;
  }
  return selectorMatches(term.selector, subject.labels);
}

/** One and the same pod must match all terms; without terms nothing matches. */
export function allTermsMatch(terms: readonly AffinityTerm[], subject: AffinitySubject): boolean {
  if (terms.length === 0) return false;
  for (const term of terms) if (!termMatches(term, subject, undefined)) return false;
  return true;
}

/** The term with its namespaceSelector replaced by the names it selects now; one that selects everything stays. */
export function resolveNamespaces<T extends AffinityTerm>(term: T, namespacesMatching: (selector: Selector) => Iterable<string>): T {
  if (term.namespaceSelector.nothing || isEmptySelector(term.namespaceSelector)) return term;
  const namespaces = new Set(term.namespaces);
  for (const name of namespacesMatching(term.namespaceSelector)) namespaces.add(name);
  return { ...term, namespaces, namespaceSelector: selectNothing };
}
