import type { KubeObject } from '#libs/kernel';
import { filesOfContainer, type Files, type ProgramContainer, type World } from '#libs/kubelet';
import type { ClusterView } from '../serving/cluster-view';

/** Containers whose files are kept at a time; those that were used longest ago are forgotten. */
const containersMax = 16;

const known = new WeakMap<ClusterView, Map<string, Files>>();

/**
 * Files of a running container for those who run commands in it: what one writes the next one finds, for as long as this process and
 * that run of the container last. They are in no log, and the container's own program does not see them.
 */
export function filesOf(pod: KubeObject, spec: ProgramContainer, containerId: string, view: ClusterView, world: World): Files {
  let containers = known.get(view);
  if (!containers) known.set(view, (containers = new Map()));
  const files = containers.get(containerId) ?? filesOfContainer(pod, spec, world);
  containers.delete(containerId);
  containers.set(containerId, files);
  for (const oldest of containers.keys()) {
    if (containers.size <= containersMax) break;
    containers.delete(oldest);
  }
  return files;
}
