import type { JsonObject } from '#libs/kernel';
import { draftOf, listIn, objectIn, setAbsent, setEmpty } from './draft';
import { defaultPod, defaultPodTemplate } from '../kinds/core/pods/defaults';
import { roundResourceList } from './resources';
import { alignNodeCidrs, alignPodAddresses, mergeStringData } from './aliases';

function defaultDeployment(deployment: JsonObject): void {
  const spec = objectIn(deployment, 'spec');
  if (!spec) return;
  setAbsent(spec, 'replicas', 1);
  const strategy = objectIn(spec, 'strategy') ?? {};
  spec['strategy'] = strategy;
  setEmpty(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] === 'RollingUpdate') {
    const rolling = objectIn(strategy, 'rollingUpdate') ?? {};
    strategy['rollingUpdate'] = rolling;
    setAbsent(rolling, 'maxUnavailable', '25%');
    setAbsent(rolling, 'maxSurge', '25%');
  }
  setAbsent(spec, 'revisionHistoryLimit', 10);
  setAbsent(spec, 'progressDeadlineSeconds', 600);
  defaultPodTemplate(spec);
}

function defaultReplicaSet(replicaSet: JsonObject): void {
  const spec = objectIn(replicaSet, 'spec');
  if (!spec) return;
  setAbsent(spec, 'replicas', 1);
  defaultPodTemplate(spec);
}

/** Everything but what is allocated (addresses, node ports, IP families), which create decides. */
function defaultService(service: JsonObject): void {
  const spec = objectIn(service, 'spec');
  if (!spec) return;
  setEmpty(spec, 'sessionAffinity', 'None');
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] === 'ClientIP') {
    const config = objectIn(spec, 'sessionAffinityConfig') ?? {};
    const clientIp = objectIn(config, 'clientIP') ?? {};
    setAbsent(clientIp, 'timeoutSeconds', 10_800);
    spec['sessionAffinityConfig'] = { ...config, clientIP: clientIp };
  }
  setEmpty(spec, 'type', 'ClusterIP');
  for (const port of listIn(spec, 'ports')) {
    setEmpty(port, 'protocol', 'TCP');
    setEmpty(port, 'targetPort', port['port'] ?? 0);
  }
  const type = spec['type'];
  const external = type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && listLength(spec, 'externalIPs') > 0);
  if (external) setEmpty(spec, 'externalTrafficPolicy', 'Cluster');
  if (type === 'LoadBalancer' || type === 'NodePort' || type === 'ClusterIP') setAbsent(spec, 'internalTrafficPolicy', 'Cluster');
  if (type === 'LoadBalancer') {
    setAbsent(spec, 'allocateLoadBalancerNodePorts', true);
    const balancer = objectIn(objectIn(service, 'status') ?? {}, 'loadBalancer') ?? {};
    for (const ingress of listIn(balancer, 'ingress')) if (ingress['ip']) setAbsent(ingress, 'ipMode', 'VIP');
  }
}

function listLength(holder: JsonObject, key: string): number {
  const value = holder[key];
  return Array.isArray(value) ? value.length : 0;
}

function defaultNode(node: JsonObject): void {
  alignNodeCidrs(objectIn(node, 'spec'));
  const status = objectIn(node, 'status');
  if (!status) return;
  if (status['capacity'] && !status['allocatable']) status['allocatable'] = draftOf(status['capacity']);
  roundResourceList(status['capacity']);
  roundResourceList(status['allocatable']);
}

/** Every namespace carries its own name as a label. Its finalizer is put there at create only, not by defaulting. */
function defaultNamespace(namespace: JsonObject): void {
  const status = objectIn(namespace, 'status') ?? {};
  setEmpty(status, 'phase', 'Active');
  namespace['status'] = status;
  const metadata = objectIn(namespace, 'metadata');
  if (!metadata?.['name']) return;
  const labels = objectIn(metadata, 'labels') ?? {};
  labels['kubernetes.io/metadata.name'] = metadata['name'];
  metadata['labels'] = labels;
}

function defaultPodObject(pod: JsonObject): void {
  defaultPod(pod);
  alignPodAddresses(objectIn(pod, 'status'));
}

function defaultSecret(secret: JsonObject): void {
  mergeStringData(secret);
  setEmpty(secret, 'type', 'Opaque');
}

function defaultTokenRequest(request: JsonObject): void {
  const spec = objectIn(request, 'spec');
  if (spec) setAbsent(spec, 'expirationSeconds', 3600);
}

/** What a kind's defaulting does beyond the defaults its schema declares. Kinds that are absent have none. */
export const defaultersByKind: ReadonlyMap<string, (object: JsonObject) => void> = new Map([
  ['v1/Pod', defaultPodObject],
  ['v1/Service', defaultService],
  ['v1/Node', defaultNode],
  ['v1/Namespace', defaultNamespace],
  ['v1/Secret', defaultSecret],
  ['apps/v1/Deployment', defaultDeployment],
  ['apps/v1/ReplicaSet', defaultReplicaSet],
  ['scheduling.k8s.io/v1/PriorityClass', (priority: JsonObject) => setAbsent(priority, 'preemptionPolicy', 'PreemptLowerPriority')],
  ['authentication.k8s.io/v1/TokenRequest', defaultTokenRequest],
]);
