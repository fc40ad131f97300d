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
    if (node.images.size === 0) return 0;
    const { images, max } = imagesOf(pod);
    const nodeCount = state.cycle.snapshot.nodes.length;
    let sum = 0;
    for (const name of images) {
      const image = node.images.get(name);
      if (image !== undefined) sum += Math.trunc(image.size * (image.nodeCount / nodeCount));
    }
    const clamped = Math.min(Math.max(sum, minThreshold), max);
    return Math.trunc((maxNodeScore * (clamped - minThreshold)) / (max - minThreshold));
  }

  eventsToRegister(): readonly never[] {
    return [];
  }
}

interface PodImages {
  /** One entry a container, by the name that nodes report. */
  readonly images: readonly string[];
  /** From this size on, all images together earn the full score. */
  readonly max: number;
}

const known = new WeakMap<PodInfo, PodImages>();

function imagesOf(pod: PodInfo): PodImages {
  let images = known.get(pod);
  if (images === undefined) {
    const names = [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])].map((container) =>
      normalizedImage(container.image ?? ''),
    );
    images = { images: names, max: maxThresholdPerContainer * names.length };
    known.set(pod, images);
  }
  return images;
}

/** A name without a tag means `latest`. A colon before the last slash belongs to the registry's port. */
function normalizedImage(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
