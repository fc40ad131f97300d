import type { KubeObject } from '#libs/kernel';
import { podInfoOf } from '#libs/scheduling';
import { specOf } from '../pod-lifecycle/pod-types';
import { matchesNode, untoleratedNoExecute } from './node-affinity';
import { portTaken, resourceShortage } from './node-resources';
import type { Rejection } from './rejection';
import { forbiddenSysctl } from './sysctls';

const osLabel = 'kubernetes.io/os';

/**
 * What keeps the kubelet from taking a pod that is bound to its node; undefined: nothing. Only the first failure counts, in
 * upstream's order. `others`: the pods it has taken and that are not over.
 */
export function admissionFailure(pod: KubeObject, node: KubeObject, others: Iterable<KubeObject>): Rejection | undefined {
  return forbiddenSysctl(pod) ?? platformMismatch(pod, node) ?? predicateFailure(pod, node, others);
}

function platformMismatch(pod: KubeObject, node: KubeObject): Rejection | undefined {
  const os = (node.status?.nodeInfo?.operatingSystem as string | undefined) || 'linux';
  const labelled = pod.metadata.labels?.[osLabel];
  if (labelled !== undefined && labelled !== os) {
    return {
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: `Failed to admit pod as the \`${osLabel}\` label doesn't match node label`,
    };
  }
  const wanted = specOf(pod).os?.name;
  if (wanted !== undefined && wanted !== os) {
    return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
  }
  if (specOf(pod).securityContext?.supplementalGroupsPolicy === 'Strict' && node.status?.features?.supplementalGroupsPolicy !== true) {
    return { reason: 'SupplementalGroupsPolicyNotSupported', message: 'SupplementalGroupsPolicy=Strict is not supported in this node' };
  }
  return undefined;
}

function predicateFailure(pod: KubeObject, node: KubeObject, others: Iterable<KubeObject>): Rejection | undefined {
  const infos = Array.from(others, podInfoOf);
  const shortage = resourceShortage(pod, node, infos);
  if (shortage) return shortage;
  if (!matchesNode(pod, node)) return predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  if (portTaken(pod, infos)) return predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports");
  if (untoleratedNoExecute(pod, node)) return predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate");
  return undefined;
}

function predicate(name: string, description: string): Rejection {
  return { reason: name, message: `Predicate ${name} failed: ${description}` };
}
