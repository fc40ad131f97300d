import type { NodeInfo } from '../node-info';

const minimumKept = 1024;

/** Which nodes changed, in order: entry i is the change that made generation `base + i + 1`. Old entries are let go. */
export class ChangeLog {
  private entries: NodeInfo[] = [];
  private base = 0;

  get generation(): number {
    return this.base + this.entries.length;
  }

  /** Gives the node the next generation. */
  record(node: NodeInfo, nodeCount: number): void {
    this.entries.push(node);
    node.generation = this.base + this.entries.length;
    if (this.entries.length <= Math.max(minimumKept, 4 * nodeCount)) return;
    const dropped = this.entries.length >> 1;
    this.entries = this.entries.slice(dropped);
    this.base += dropped;
  }

  /** The nodes that changed after a generation, some perhaps more than once; undefined when that is too long ago to tell. */
  since(generation: number): readonly NodeInfo[] | undefined {
    return generation < this.base ? undefined : this.entries.slice(generation - this.base);
  }
}
