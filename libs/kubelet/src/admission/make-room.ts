import { fact, type Fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { specOf } from '../pod-lifecycle/pod-types';
import { lookAtAdmission } from './admit';
import { chooseVictims } from './choose-victims';
import { isCriticalPod } from './critical-pods';
import type { Rejection } from './rejection';

/** What a kubelet answers to a pod that is bound to its node. */
export interface Admission {
  /** Absent: it takes the pod. */
  rejection?: Rejection;
  /** The pod that is to give way to it first. */
  victim?: KubeObject;
}

const recovery = 'Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt';

/** What the kubelet of a node does about a pod that is bound to it: a critical pod is told when nobody could make room for it. */
export function admissionOf(pod: KubeObject, node: KubeObject, others: readonly KubeObject[]): Admission {
  const { rejection, shortages } = lookAtAdmission(pod, node, others);
  if (!rejection || !shortages || !isCriticalPod(pod)) return { rejection };
  const choice = chooseVictims(pod, others, shortages);
  if ('victims' in choice) return { victim: choice.victims[0] };
  return { rejection: { reason: 'UnexpectedAdmissionError', message: `${recovery}: ${choice.error}` } };
}

const message = 'Preempted in order to admit critical pod';
const disruption = 'Pod was preempted by Kubelet to accommodate a critical pod.';

/** That a pod is ended, with its own grace, for a critical one to be taken (upstream kubelet's `evictPodsToFreeRequests`). @param now ms */
export function preempted(victim: KubeObject, preemptor: KubeObject, node: string, now: number): Fact[] {
  const { namespace = '', name, uid } = victim.metadata;
  const graceSeconds = specOf(victim).terminationGracePeriodSeconds ?? 30;
  const of = `${preemptor.metadata.namespace ?? ''}/${preemptor.metadata.name}`;
  const order = { node, namespace, pod: name, uid, at: now, graceSeconds, reason: 'Preempting', message, disruption, preemptor: of };
  const told = { resource: 'pods', namespace, name, uid, type: 'Warning', reason: 'Preempting', message, component: 'kubelet' };
  return [fact('PodPreemptedByKubelet', order), fact('Reported', told)];
}
