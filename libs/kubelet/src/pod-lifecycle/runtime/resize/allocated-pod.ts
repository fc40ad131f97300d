import type { ResizeMark } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { specOf, type Container } from '../../pod-types';

/** The pod with the resources that its kubelet has set aside for it, where its spec asks for others. */
export function allocatedPod(pod: KubeObject, resize: ResizeMark | undefined): KubeObject {
  if (!resize) return pod;
  const withAllocated = (containers: Container[]): Container[] =>
    containers.map((container) => ({ ...container, resources: resize.allocated[container.name] ?? container.resources }));
  const { containers, initContainers } = specOf(pod);
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...(containers ? { containers: withAllocated(containers) } : {}),
      ...(initContainers ? { initContainers: withAllocated(initContainers) } : {}),
    },
  };
}
