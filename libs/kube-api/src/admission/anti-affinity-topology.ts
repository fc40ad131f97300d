import type { KubeObject } from '#libs/kernel';
import { forbiddenRequest } from '../status';
import type { OwnStep } from './chain';
import { requestedName } from './namespace-lifecycle';

const allowed = 'kubernetes.io/hostname';

interface Terms {
  podAntiAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: { topologyKey?: string }[] };
}

/** Off by default: pods may keep others off their node for good, but not off a whole zone. */
export const antiAffinityTopology: OwnStep = {
  name: 'LimitPodHardAntiAffinityTopology',
  isOptIn: true,
  handles: ({ kind, operation, subresource }) =>
    kind.groupResource === 'pods' && subresource === undefined && (operation === 'CREATE' || operation === 'UPDATE'),
  admit: (pod: KubeObject) => {
    const { podAntiAffinity } = (pod.spec?.affinity ?? {}) as Terms;
    const terms = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const other = terms.find(({ topologyKey }) => topologyKey !== allowed);
    if (!other) return pod;
    const text = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${other.topologyKey} but only key ${allowed} is allowed`;
    return forbiddenRequest('pods', requestedName(pod), text);
  },
};
