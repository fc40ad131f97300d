import type { KubeObject } from '#libs/kernel';
import { nodeStatus } from '../framework/kube-types';
import type { ImageState } from '../framework/node-info';

interface SharedImage extends ImageState {
  nodes: Set<string>;
}

/** Which nodes hold which image. The first node to report an image fixes the size it counts with. */
export class ImageStates {
  private readonly images = new Map<string, SharedImage>();

  /** The images of the node by name; their counts stay current as other nodes come and go. */
  add(node: KubeObject): ReadonlyMap<string, ImageState> {
    const ofNode = new Map<string, ImageState>();
    for (const image of nodeStatus(node).images ?? []) {
      for (const name of image.names ?? []) {
        let state = this.images.get(name);
        if (state === undefined) this.images.set(name, (state = { size: image.sizeBytes ?? 0, nodeCount: 0, nodes: new Set() }));
        state.nodes.add(node.metadata.name);
        state.nodeCount = state.nodes.size;
        ofNode.set(name, state);
      }
    }
    return ofNode;
  }

  remove(node: KubeObject): void {
    for (const image of nodeStatus(node).images ?? []) {
      for (const name of image.names ?? []) {
        const state = this.images.get(name);
        if (state === undefined) continue;
        state.nodes.delete(node.metadata.name);
        state.nodeCount = state.nodes.size;
        if (state.nodes.size === 0) this.images.delete(name);
      }
    }
  }
}
