import { isTerminal, type ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { NodeInfo, podInfoOf, untoleratedTaint } from '#libs/scheduling';
import { amountWords, taintWords } from './words';

const insufficient = 'Insufficient ';

/**
 * A plugin's refusal of a node with what was wanted and what was there, in numbers: `too little CPU: wants 2, 0.5 of 4 free`.
 * The plugin's own text where there is nothing to add. @param cluster at the position of the decision
 */
export function refusalWords(reason: string, pod: KubeObject, node: KubeObject, cluster: ClusterState): string {
  if (reason.startsWith(insufficient)) return tooLittle(reason.slice(insufficient.length), pod, node, cluster);
  switch (reason) {
    case 'Too many pods': {
      const { pods, allocatable } = nodeInfoOf(node, cluster);
      return `too many pods: ${pods.length} of ${allocatable.allowedPodCount} are there`;
    }
    case 'node(s) were unschedulable':
      return 'cordoned';
    case 'node(s) had untolerated taint(s)':
      return untolerated(pod, node) ?? reason;
    case "node(s) didn't match Pod's node affinity/selector":
      return selectorMismatch(pod, node) ?? reason;
    default:
      return reason;
  }
}

function tooLittle(resource: string, pod: KubeObject, node: KubeObject, cluster: ClusterState): string {
  const { allocatable, requested } = nodeInfoOf(node, cluster);
  const wanted = amount(podInfoOf(pod).requests, resource);
  const most = amount(allocatable, resource);
  const free = most - amount(requested, resource);
  const name = resource === 'cpu' ? 'CPU' : resource;
  // What other pods on their way there have been promised is not in the node's pods yet.
  const promised = free >= wanted ? '; the rest is promised to pods on their way there' : '';
  return `too little ${name}: wants ${amountWords(resource, wanted)}, ${amountWords(resource, Math.max(0, free))} of ${amountWords(resource, most)} free${promised}`;
}

/** The node with its pods as the log shows them, those that have ended left out. */
export function nodeInfoOf(node: KubeObject, cluster: ClusterState): NodeInfo {
  const info = new NodeInfo(node.metadata.name);
  info.setNode(node);
  for (const pod of cluster.indices.podsOnNode(node.metadata.name).values()) {
    if (!isTerminal(pod)) info.addPod(podInfoOf(pod));
  }
  return info;
}

/** How much of a resource, in the unit that scheduling counts it in. */
export function amount(resource: NodeInfo['requested'], name: string): number {
  if (name === 'cpu') return resource.milliCpu;
  if (name === 'memory') return resource.memory;
  if (name === 'ephemeral-storage') return resource.ephemeralStorage;
  return resource.scalars?.get(name) ?? 0;
}

function untolerated(pod: KubeObject, node: KubeObject): string | undefined {
  const info = new NodeInfo(node.metadata.name);
  info.setNode(node);
  const taint = untoleratedTaint(info.taints, podInfoOf(pod).tolerations);
  if (!taint) return undefined;
  return `has the taint ${taintWords(taint)}, which the pod does not tolerate`;
}

function selectorMismatch(pod: KubeObject, node: KubeObject): string | undefined {
  const selector = (pod.spec?.nodeSelector as Record<string, string> | undefined) ?? {};
  const labels = node.metadata.labels ?? {};
  const missing = Object.entries(selector).filter(([key, value]) => labels[key] !== value);
  if (missing.length === 0) return undefined;
  const wants = missing.map(([key, value]) => `${key}=${value}`).join(', ');
  const has = missing.map(([key]) => (labels[key] === undefined ? `no ${key}` : `${key}=${labels[key]}`)).join(', ');
  return `the pod wants a node with ${wants}; this one has ${has}`;
}
