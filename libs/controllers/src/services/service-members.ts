import { isReady, type ClusterState, type ObjectChange } from '#libs/cluster-state';
import { jsonEqual, keyOf, type KubeObject, type ObjectKey } from '#libs/kernel';
import { podSelectorOf, services } from './service';

interface Members {
  selector: Record<string, string>;
  pods: Set<ObjectKey>;
}

/** Which pods each Service selects, kept as pods and Services change: where a namespace has no Services, a pod's change costs nothing. */
export class ServiceMembers {
  private readonly namespaces = new Map<string, Map<ObjectKey, Members>>();

  constructor(cluster: ClusterState) {
    for (const service of cluster.table(services).objects.values()) this.setService(keyOf(service), service);
    if (this.namespaces.size === 0) return;
    for (const [key, pod] of cluster.table('pods').objects) {
      for (const members of this.inNamespaceOf(pod)?.values() ?? []) if (isSelected(pod, members)) members.pods.add(key);
    }
  }

  /** The pods of a Service, in order of name. */
  podsOf(cluster: ClusterState, service: KubeObject): KubeObject[] {
    const members = this.inNamespaceOf(service)?.get(keyOf(service));
    const pods: KubeObject[] = [];
    for (const key of members ? [...members.pods].sort() : []) {
      const pod = cluster.byKey('pods', key);
      if (pod) pods.push(pod);
    }
    return pods;
  }

  /** Follows a change, and names the Services to look at for it. */
  follow(change: ObjectChange, cluster: ClusterState): Iterable<ObjectKey> {
    if (change.resource === services) return this.followService(change, cluster);
    return change.resource === 'pods' && this.namespaces.has(change.namespace) ? this.followPod(change) : [];
  }

  private followService({ key, type, object, before }: ObjectChange, cluster: ClusterState): Iterable<ObjectKey> {
    if (type === 'DELETED') this.dropService(key, object);
    else if (!before || !jsonEqual(podSelectorOf(before), podSelectorOf(object))) {
      const members = this.setService(key, object);
      if (members) {
        for (const pod of cluster.list('pods', object.metadata.namespace)) if (isSelected(pod, members)) members.pods.add(keyOf(pod));
      }
    }
    return [key];
  }

  private *followPod({ key, namespace, type, before, object }: ObjectChange): Iterable<ObjectKey> {
    const relevant = type !== 'MODIFIED' ? hasBeenReached(object) : before !== undefined && endpointChanged(before, object);
    for (const [service, members] of this.namespaces.get(namespace) ?? []) {
      const had = members.pods.has(key);
      const has = type !== 'DELETED' && isSelected(object, members);
      if (has) members.pods.add(key);
      else if (had) members.pods.delete(key);
      const cameOrWent = type === 'MODIFIED' && had !== has;
      if (cameOrWent || (relevant && (had || has))) yield service;
    }
  }

  private setService(key: ObjectKey, service: KubeObject): Members | undefined {
    this.dropService(key, service);
    const selector = podSelectorOf(service);
    if (!selector) return undefined;
    const namespace = service.metadata.namespace as string;
    let inNamespace = this.namespaces.get(namespace);
    if (!inNamespace) this.namespaces.set(namespace, (inNamespace = new Map()));
    const members: Members = { selector, pods: new Set() };
    inNamespace.set(key, members);
    return members;
  }

  private dropService(key: ObjectKey, service: KubeObject): void {
    const inNamespace = this.inNamespaceOf(service);
    inNamespace?.delete(key);
    if (inNamespace?.size === 0) this.namespaces.delete(service.metadata.namespace as string);
  }

  private inNamespaceOf(object: KubeObject): Map<ObjectKey, Members> | undefined {
    return this.namespaces.get(object.metadata.namespace as string);
  }
}

function isSelected({ metadata: { labels } }: KubeObject, { selector }: Members): boolean {
  if (!labels) return false;
  for (const name in selector) if (labels[name] !== selector[name]) return false;
  return true;
}

/** A pod that has never had an address makes no difference to anybody when it comes or goes. */
function hasBeenReached({ status }: KubeObject): boolean {
  return status?.podIPs !== undefined || status?.podIP !== undefined;
}

/** Upstream `podEndpointsChanged`, without what comes of other labels. */
function endpointChanged(before: KubeObject, after: KubeObject): boolean {
  return (
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    isReady(before) !== isReady(after) ||
    !jsonEqual(before.status?.podIPs, after.status?.podIPs)
  );
}
