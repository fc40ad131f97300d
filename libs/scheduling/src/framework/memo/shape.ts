import type { RawContainer } from '../kube-types';
import type { PodInfo } from '../pod-info';

const shapes = new WeakMap<PodInfo, string>();

/**
 * All of a pod that decides how it fares on a node by itself: two pods of one shape get the same verdicts and scores from every plugin
 * that looks at pod and node alone.
 */
export function shapeOf(pod: PodInfo): string {
  let shape = shapes.get(pod);
  if (shape === undefined) {
    const { spec } = pod;
    shape = JSON.stringify([
      pod.priority,
      spec.nodeName,
      spec.tolerations,
      spec.nodeSelector,
      spec.affinity?.nodeAffinity,
      spec.containers?.map(containerShape),
      spec.initContainers?.map(containerShape),
      spec.overhead,
      spec.resources,
    ]);
    shapes.set(pod, shape);
  }
  return shape;
}

function containerShape(container: RawContainer): unknown[] {
  return [container.resources?.requests, container.ports, container.restartPolicy];
}
