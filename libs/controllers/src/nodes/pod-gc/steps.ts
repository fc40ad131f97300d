import { isTerminal } from '#libs/cluster-state';
import type { Step } from '#libs/control-loop';
import { fact, type Fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { disruptionMark } from '../disruption-mark';

/** Of a pod whose node is gone: why it ends. */
export function orphanMark(pod: KubeObject): Fact {
  return disruptionMark(pod, 'DeletionByPodGC', 'PodGC: node no longer exists');
}

/** Pods are deleted at once, those that have not ended once they are made to have failed. @param marksOf what else is told of one that has not ended */
export function collect(pods: readonly KubeObject[], marksOf: (pod: KubeObject) => readonly Fact[] = () => []): Step[] {
  const running = pods.filter((pod) => !isTerminal(pod));
  return running.length > 0 ? running.map((pod) => failure(pod, marksOf(pod))) : pods.filter(isLeft).map(forcedDeletion);
}

/** One that has no grace left waits for its finalizers alone. */
function isLeft({ metadata }: KubeObject): boolean {
  return !(metadata.deletionTimestamp && metadata.deletionGracePeriodSeconds === 0);
}

function failure(pod: KubeObject, marks: readonly Fact[]): Step {
  const { namespace, name, uid, generation } = pod.metadata;
  const patch = [
    ...(generation === undefined ? [] : [{ op: 'add' as const, path: '/status/observedGeneration', value: generation }]),
    { op: 'add' as const, path: '/status/phase', value: 'Failed' },
  ];
  const target = { resource: 'pods', namespace, name };
  return {
    step: `end/${namespace}/${name}`,
    request: { verb: 'record', target, uid, facts: [...marks, fact('StatusUpdated', { patch })] },
  };
}

function forcedDeletion(pod: KubeObject): Step {
  const { namespace, name, uid } = pod.metadata;
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  return { step: `delete/${namespace}/${name}`, request: { verb: 'delete', target: { resource: 'pods', namespace, name }, options } };
}
