import type { NodeInfo } from '../node-info';
import type { Snapshot } from '../snapshot';

/**
 * A sum over all nodes, kept current by taking back what a changed node contributed and adding what it contributes now. The contribution
 * must follow from the node alone (and what the aggregate was made with), and hold all that taking it back needs.
 */
export abstract class NodeAggregate<C> {
  private readonly contributions: (C | undefined)[] = [];
  private readonly generations: number[] = [];
  private generation = -1;

  /** Undefined: the node adds nothing. Asked for known nodes only. */
  protected abstract contributionOf(node: NodeInfo): C | undefined;
  protected abstract apply(contribution: C, sign: 1 | -1): void;

  /** Brings the sum up to the snapshot. */
  update(snapshot: Snapshot): this {
    const { changes } = snapshot.memos;
    if (this.generation === changes.generation) return this;
    const changed = this.generation < 0 ? undefined : changes.since(this.generation);
    if (changed === undefined) this.rebuild(snapshot.nodes);
    else for (const node of changed) this.replace(node);
    this.generation = changes.generation;
    return this;
  }

  private rebuild(nodes: readonly NodeInfo[]): void {
    for (const contribution of this.contributions) if (contribution !== undefined) this.apply(contribution, -1);
    this.contributions.length = 0;
    this.generations.length = 0;
    for (const node of nodes) this.replace(node);
  }

  private replace(node: NodeInfo): void {
    const { slot } = node;
    if (this.generations[slot] === node.generation) return;
    this.generations[slot] = node.generation;
    const before = this.contributions[slot];
    if (before !== undefined) this.apply(before, -1);
    const after = node.node === undefined ? undefined : this.contributionOf(node);
    this.contributions[slot] = after;
    if (after !== undefined) this.apply(after, 1);
  }
}
