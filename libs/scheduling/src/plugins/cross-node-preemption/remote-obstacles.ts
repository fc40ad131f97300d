import type { AffinityTerm } from '../../framework/affinity-terms';
import { resolveNamespaces, termMatches } from '../../framework/affinity-terms';
import type { CycleState } from '../../framework/cycle-state';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import { compileLabelSelector, labelOf, selectorMatches } from '../../framework/selectors';

/** A pod of lower priority, and the node it is on. */
export interface PlacedPod {
  readonly pod: PodInfo;
  readonly node: NodeInfo;
}

const none: readonly PlacedPod[] = [];

/**
 * Pods of lower priority that may stand in the pod's way on nodes other than their own: by its required anti-affinity, by theirs, by
 * its topology spread constraints, or by a ReadWriteOncePod claim they hold. Found once an attempt, looked up by domain.
 */
export class RemoteObstacles {
  /** By topology key, then value. */
  private readonly byDomain = new Map<string, Map<string, PlacedPod[]>>();
  private readonly anywhere: PlacedPod[] = [];

  constructor(state: CycleState, pod: PodInfo) {
    const { snapshot } = state.cycle;
    const keysOf = obstacleTest(state, pod);
    if (keysOf === undefined) return;
    for (const node of snapshot.nodes) {
      for (const other of node.pods) {
        if (other.priority >= pod.priority) continue;
        if (pod.claimKeys.length > 0 && other.claimKeys.some((claim) => pod.claimKeys.includes(claim)))
          this.anywhere.push({ pod: other, node });
        else for (const key of keysOf(other)) this.add(key, { pod: other, node });
      }
    }
  }

  get isEmpty(): boolean {
    return this.byDomain.size === 0 && this.anywhere.length === 0;
  }

  /** Those that share a domain with the node, each once, without the node's own. */
  of(node: NodeInfo): readonly PlacedPod[] {
    const found = new Map<string, PlacedPod>();
    for (const placed of this.anywhere) found.set(placed.pod.uid, placed);
    for (const [key, values] of this.byDomain) {
      const value = labelOf(node.labels, key);
      for (const placed of (value === undefined ? undefined : values.get(value)) ?? none) found.set(placed.pod.uid, placed);
    }
    return [...found.values()].filter((placed) => placed.node !== node);
  }

  private add(key: string, placed: PlacedPod): void {
    const value = labelOf(placed.node.labels, key);
    if (value === undefined) return;
    let values = this.byDomain.get(key);
    if (values === undefined) this.byDomain.set(key, (values = new Map()));
    const list = values.get(value);
    if (list === undefined) values.set(value, [placed]);
    else list.push(placed);
  }
}

/** The topology keys by which another pod is in the way; undefined when no pod can be. */
function obstacleTest(state: CycleState, pod: PodInfo): ((other: PodInfo) => Iterable<string>) | undefined {
  const { listers, nodesWithRequiredAntiAffinity } = state.cycle.snapshot;
  const resolve = (term: AffinityTerm): AffinityTerm => resolveNamespaces(term, (selector) => listers.namespacesMatching(selector));
  const antiAffinity = pod.requiredAntiAffinity.map(resolve);
  const constraints = (pod.spec.topologySpreadConstraints ?? [])
    .filter((raw) => raw.whenUnsatisfiable === 'DoNotSchedule')
    .map((raw) => ({ key: raw.topologyKey, selector: compileLabelSelector(raw.labelSelector) }));
  if (antiAffinity.length + constraints.length + pod.claimKeys.length + nodesWithRequiredAntiAffinity.size === 0) return undefined;
  const ownNamespace = listers.namespaceLabels(pod.namespace);
  return function* keysOf(other) {
    for (const term of antiAffinity) if (termMatches(term, other, undefined)) yield term.topologyKey;
    for (const term of other.requiredAntiAffinity) if (termMatches(term, pod, ownNamespace)) yield term.topologyKey;
    // One that is going does not count against the spread any more.
    if (other.namespace !== pod.namespace || other.terminating) return;
    for (const { key, selector } of constraints) if (selectorMatches(selector, other.labels)) yield key;
  };
}
