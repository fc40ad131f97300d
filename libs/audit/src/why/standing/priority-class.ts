import type { ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { counted } from '../words';

/** Its value, and how many pods have it. */
export function priorityClassStanding(object: KubeObject, state: ClusterState): string[] {
  const { value, globalDefault, preemptionPolicy } = object as KubeObject & {
    value?: number;
    globalDefault?: boolean;
    preemptionPolicy?: string;
  };
  let pods = 0;
  for (const pod of state.list('pods')) if (pod.spec?.priorityClassName === object.metadata.name) pods++;
  const never = preemptionPolicy === 'Never' ? ', never preempts' : '';
  return [`value ${value ?? 0}${globalDefault ? ', the default of all pods' : ''}${never}; ${counted(pods, 'pod')} of this class`];
}
