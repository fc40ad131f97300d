import type { Reconciler } from '#libs/control-loop';
import { formatTime, jsonEqual } from '#libs/kernel';
import { defaultServiceCidr } from '#libs/kube-api';

const resource = 'servicecidrs.networking.k8s.io';
const name = 'kubernetes';

/** The ServiceCIDR of the range that the API server gives cluster IPs from: made where it is absent, and said to be ready. */
export const defaultServiceCidrController: Reconciler = {
  name: 'kubernetes-service-cidr-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follows: [resource],
  follow: (_index, { change }) => (change?.resource === resource && change.key === `/${name}` ? [name] : []),
  allSubjects: () => [name],
  reconcile(cluster, _index, _subject, { now }) {
    const present = cluster.get(resource, undefined, name);
    const cidrs = [defaultServiceCidr];
    if (!present)
      return {
        steps: [{ step: 'create', request: { verb: 'create', resource, object: { metadata: { name }, spec: { cidrs } } as never } }],
      };
    if (present.metadata.deletionTimestamp || !jsonEqual(present.spec?.cidrs, cidrs)) return undefined;
    const ready = (present.status?.conditions as { type: string; status: string }[] | undefined)?.find(({ type }) => type === 'Ready');
    if (ready && ready.status !== 'Unknown') return undefined;
    const condition = {
      type: 'Ready',
      status: 'True',
      lastTransitionTime: formatTime(now),
      reason: '',
      message: 'Kubernetes default Service CIDR is ready',
    };
    const object = { ...present, status: { ...present.status, conditions: [condition] } };
    return { steps: [{ step: 'status', request: { verb: 'update', target: { resource, name }, subresource: 'status', object } }] };
  },
};
