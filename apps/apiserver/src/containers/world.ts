import type { GroupResource, KubeObject } from '#libs/kernel';
import { objectKey } from '#libs/kernel';
import { World } from '#libs/kubelet';
import type { ClusterView, Look } from '../serving/cluster-view';

/** Kinds that programs look at. */
const resources: readonly GroupResource[] = ['configmaps', 'secrets', 'services', 'pods', 'endpoints', 'endpointslices.discovery.k8s.io'];

/** What a program in a container of this pod can see of the cluster from now on. */
export async function worldOf(pod: KubeObject, view: ClusterView): Promise<World> {
  const tables = new Map<GroupResource, Look>();
  for (const resource of resources) tables.set(resource, await view.look(resource));
  const table = (resource: GroupResource): ReturnType<Look> | undefined => tables.get(resource)?.();
  const reader = {
    get: (resource: GroupResource, namespace: string | undefined, name: string) => table(resource)?.get(objectKey(namespace, name)),
    list: (resource: GroupResource, namespace?: string) => table(resource)?.list(namespace) ?? [],
  };
  return new World(reader, pod, view.time);
}
