import { isStaticPod } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { podInfoOf, type PodInfo } from '#libs/scheduling';
import { podBehaviourOf } from '../behaviour';
import { specOf } from '../pod-lifecycle/pod-types';
import { isCriticalPod } from './critical-pods';
import { matchesNode, untoleratedNoExecute } from './node-affinity';
import { insufficient, portTaken, resourceShortages, type Shortage } from './node-resources';
import type { Rejection } from './rejection';
import { forbiddenSysctl } from './sysctls';

const osLabel = 'kubernetes.io/os';

/** What the kubelet finds of a pod that is bound to its node. */
export interface AdmissionLook {
  /** What keeps it from taking the pod; only the first failure counts, in upstream's order. */
  rejection?: Rejection;
  /** What the node has too little of, where nothing else is in the way: a critical pod makes room for itself. */
  shortages?: readonly Shortage[];
}

/** @param others the pods that the kubelet has taken and that are not over */
export function lookAtAdmission(pod: KubeObject, node: KubeObject, others: Iterable<KubeObject>): AdmissionLook {
  const refused = forbiddenSysctl(pod) ?? platformMismatch(pod, node) ?? pluginError(pod);
  if (refused) return { rejection: refused };
  const infos = Array.from(others, podInfoOf);
  const shortages = resourceShortages(pod, node, infos);
  const mismatch = predicateFailure(pod, node, infos);
  if (shortages.length === 0) return mismatch ? { rejection: mismatch } : {};
  if (mismatch && isCriticalPod(pod)) return { rejection: mismatch };
  return { rejection: insufficient(shortages[0] as Shortage), ...(mismatch ? {} : { shortages }) };
}

/** What keeps the kubelet from taking the pod without making room for it; undefined: nothing. */
export function admissionFailure(pod: KubeObject, node: KubeObject, others: Iterable<KubeObject>): Rejection | undefined {
  return lookAtAdmission(pod, node, others).rejection;
}

/** A plug-in of the kubelet cannot give the pod what it needs. */
function pluginError(pod: KubeObject): Rejection | undefined {
  const { admissionError } = podBehaviourOf(pod);
  if (admissionError === undefined) return undefined;
  return { reason: 'UnexpectedAdmissionError', message: `Update plugin resources failed due to ${admissionError}, which is unexpected.` };
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

function predicateFailure(pod: KubeObject, node: KubeObject, others: readonly PodInfo[]): Rejection | undefined {
  if (!matchesNode(pod, node)) return predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  if (portTaken(pod, others)) return predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports");
  if (!isStaticPod(pod) && untoleratedNoExecute(pod, node)) {
    return predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate");
  }
  return undefined;
}

function predicate(name: string, description: string): Rejection {
  return { reason: name, message: `Predicate ${name} failed: ${description}` };
}
