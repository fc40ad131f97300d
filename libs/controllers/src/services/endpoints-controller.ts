import { isReady, isTerminal, type ClusterState } from '#libs/cluster-state';
import type { DecisionContext, Reconciler, Reconciliation, StepFailure } from '#libs/control-loop';
import { formatTime, jsonEqual, type KubeObject, type ObjectKey } from '#libs/kernel';
import { report } from '../loop/report';
import {
  addressesOf,
  addressTypesOf,
  headlessLabel,
  isNamedIn,
  isNamespaceGoing,
  isSelecting,
  isServiceIPSet,
  portsOf,
  services,
  targetPortIn,
  triggerTimeAnnotation,
} from './service';
import { ServiceMembers } from './service-members';
import { isOverCapacity, repackedSubsets, truncatedSubsets, type EndpointAddress, type EndpointSubset } from './subsets';
import { seenTimes, TriggerTimes, type SeenTimes } from './trigger-times';

const endpoints = 'endpoints';
const name = 'endpoint-controller';
const managedByLabel = 'endpoints.kubernetes.io/managed-by';
const overCapacityAnnotation = 'endpoints.kubernetes.io/over-capacity';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

interface EndpointsIndex {
  members: ServiceMembers;
  triggers: TriggerTimes;
}

/** Keeps the Endpoints of each Service that selects pods (upstream endpoint controller). Subjects: `NAMESPACE/NAME` of Services. */
export const endpointsController: Reconciler<EndpointsIndex> = {
  name,
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  index: (cluster) => ({ members: new ServiceMembers(cluster), triggers: new TriggerTimes() }),

  *allSubjects(_index, cluster): Iterable<ObjectKey> {
    yield* cluster.table(services).keys();
    // What is left of Services that are gone.
    for (const [key, { metadata }] of cluster.table(endpoints).objects) {
      if (!cluster.byKey(services, key) && metadata.annotations?.[leaderAnnotation] === undefined) yield key;
    }
  },

  follows: [services, 'pods', endpoints],
  *follow({ members }, { change }, cluster): Iterable<ObjectKey> {
    if (!change) return;
    yield* members.follow(change, cluster);
    if (change.resource === endpoints && change.type === 'DELETED') yield change.key;
  },

  reconcile: syncEndpoints,
  looked: ({ triggers }, key, memory) => triggers.note(key, memory as SeenTimes | undefined),
};

function syncEndpoints(
  cluster: ClusterState,
  { members, triggers }: EndpointsIndex,
  key: ObjectKey,
  _context: DecisionContext,
  failure?: StepFailure,
): Reconciliation | undefined {
  const service = cluster.byKey(services, key);
  const current = cluster.byKey(endpoints, key);
  if (!service) return current && { steps: [{ step: 'delete', request: { verb: 'delete', target: targetOf(current) } }] };
  if (!isSelecting(service)) return undefined;
  const pods = members.podsOf(cluster, service);
  const memory = seenTimes(service, pods);
  const subsets = repackedSubsets(pods.flatMap((pod) => subsetsOf(pod, service)));
  if (current ? isCurrent(current, service, subsets) : isNamespaceGoing(cluster, service.metadata.namespace as string)) {
    return { steps: [], memory };
  }
  const object = endpointsOf(service, current, subsets, triggers.triggerOf(key, memory));
  const resource = endpoints;
  const { namespace } = service.metadata;
  if (current) {
    const records = failure ? [failed(current, 'FailedToUpdateEndpoint', `Failed to update endpoint ${key}: ${failure.message}`)] : [];
    return { records, steps: [{ step: 'update', request: { verb: 'update', target: targetOf(current), object } }], memory };
  }
  const records = failure
    ? [failed(object, 'FailedToCreateEndpoint', `Failed to create endpoint for service ${key}: ${failure.message}`)]
    : [];
  return { records, steps: [{ step: 'create', request: { verb: 'create', resource, namespace, object } }], memory };
}

function failed(object: KubeObject, reason: string, message: string): ReturnType<typeof report> {
  const named = { ...object, metadata: { ...object.metadata, uid: object.metadata.uid ?? '' } };
  return report(name, endpoints, named, { type: 'Warning', reason, message });
}

function targetOf({ metadata: { namespace, name: called } }: KubeObject): { resource: string; namespace?: string; name: string } {
  return { resource: endpoints, namespace, name: called };
}

/** One pod's part: its address, for each port that it has. A Service without ports has none but where it is headless. */
function subsetsOf(pod: KubeObject, service: KubeObject): EndpointSubset[] {
  const publishesAll = service.spec?.publishNotReadyAddresses === true;
  if (isTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && !publishesAll)) return [];
  const [type = 'IPv4'] = addressTypesOf(service);
  const [ip] = addressesOf(pod, type);
  if (ip === undefined) return [];
  const { namespace, name: podName, uid } = pod.metadata;
  const address: EndpointAddress = {
    ip,
    ...(isNamedIn(pod, service) ? { hostname: pod.spec.hostname as string } : {}),
    nodeName: (pod.spec?.nodeName ?? '') as string,
    targetRef: { kind: 'Pod', namespace, name: podName, uid },
  };
  const list = publishesAll || isReady(pod) ? 'addresses' : 'notReadyAddresses';
  const ports = portsOf(service);
  if (ports.length === 0) return service.spec?.clusterIP === 'None' ? [{ [list]: [address] }] : [];
  return ports.flatMap((servicePort): EndpointSubset[] => {
    const port = targetPortIn(pod, servicePort);
    if (port === undefined) return [];
    const { name: portName, protocol, appProtocol } = servicePort;
    const offered = { ...(portName ? { name: portName } : {}), port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) };
    return [{ [list]: [address], ports: [offered] }];
  });
}

/** Nothing is to be written. Whether the Service has an address of its own is not looked at, as upstream does not. */
function isCurrent({ metadata, subsets = [] }: KubeObject, service: KubeObject, wanted: readonly EndpointSubset[]): boolean {
  const { [headlessLabel]: _, [managedByLabel]: manager, ...labels } = metadata.labels ?? {};
  const isSame = jsonEqual(subsets ?? [], wanted) && manager === name && jsonEqual(labels, service.metadata.labels ?? {});
  return isSame && metadata.annotations?.[overCapacityAnnotation] === undefined && !isOverCapacity((subsets ?? []) as EndpointSubset[]);
}

function endpointsOf(
  service: KubeObject,
  current: KubeObject | undefined,
  subsets: readonly EndpointSubset[],
  trigger: number | undefined,
): KubeObject {
  const { [triggerTimeAnnotation]: _trigger, [overCapacityAnnotation]: _capacity, ...kept } = current?.metadata.annotations ?? {};
  const isOver = isOverCapacity(subsets);
  const annotations = {
    ...kept,
    ...(trigger === undefined ? {} : { [triggerTimeAnnotation]: formatTime(trigger) }),
    ...(isOver ? { [overCapacityAnnotation]: 'truncated' } : {}),
  };
  const { [headlessLabel]: _headless, ...labels } = service.metadata.labels ?? {};
  const headless = isServiceIPSet(service) ? {} : { [headlessLabel]: '' };
  const metadata = {
    ...(current?.metadata ?? { name: service.metadata.name, namespace: service.metadata.namespace }),
    labels: { ...labels, ...headless, [managedByLabel]: name },
    annotations: Object.keys(annotations).length > 0 ? annotations : undefined,
  };
  const shown = isOver ? truncatedSubsets(subsets) : subsets;
  return { apiVersion: 'v1', kind: 'Endpoints', metadata, ...(shown.length > 0 ? { subsets: shown } : {}) } as KubeObject;
}
