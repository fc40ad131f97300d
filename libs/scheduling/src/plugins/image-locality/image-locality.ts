import type { CycleState } from '../../framework/cycle-state';
import type { ScorePlugin } from '../../framework/interface';
import type { NodeInfo } from '../../framework/node-info';
import { maxNodeScore } from '../../framework/normalize';
import type { PodInfo } from '../../framework/pod-info';

const mebibyte = 1024 * 1024;
const minThreshold = 23 * mebibyte;
const maxThresholdPerContainer = 1000 * mebibyte;

/** Prefers nodes that hold the pod's images already; big images and images that many nodes hold count more. */
export class ImageLocality implements ScorePlugin {
  readonly name = 'ImageLocality';

  score(state: CycleState, pod: PodInfo, node: NodeInfo): number {
    const { containers = [], initContainers = [] } = pod.spec;
    const max = maxThresholdPerContainer * (containers.length + initContainers.length);
    let sum = 0;
    if (node.images.size > 0) {
      const nodeCount = state.cycle.snapshot.nodes.length;
      for (const list of [initContainers, containers]) {
        for (const container of list) {
          const image = node.images.get(normalizedImage(container.image ?? ''));
          if (image !== undefined) sum += Math.trunc(image.size * (image.nodeCount / nodeCount));
        }
      }
    }
    const clamped = Math.min(Math.max(sum, minThreshold), max);
    return Math.trunc((maxNodeScore * (clamped - minThreshold)) / (max - minThreshold));
  }

  eventsToRegister(): readonly never[] {
    return [];
  }
}

/** A name without a tag means `latest`. A colon before the last slash belongs to the registry's port. */
function normalizedImage(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
