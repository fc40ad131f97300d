import type { AffinityTerm } from '../../framework/affinity-terms';
import type { NodeInfo } from '../../framework/node-info';
import { labelOf } from '../../framework/selectors';

/**
 * Counts by topology key and value. A copy keeps only what changed since, so that a dry run costs what it touches. The original must
 * not change while copies are in use.
 */
export class TopologyCounts {
  private readonly byKey = new Map<string, Map<string, number>>();
  /** How many pairs count anything at all. */
  private pairs = 0;

  constructor(private readonly original?: TopologyCounts) {
    this.pairs = original?.pairs ?? 0;
  }

  get isEmpty(): boolean {
    return this.pairs === 0;
  }

  get(key: string, value: string): number {
    const own = this.byKey.get(key)?.get(value);
    return own ?? this.original?.get(key, value) ?? 0;
  }

  /** Counts at the node's value of the key; a node without the key counts nowhere. */
  add(node: NodeInfo, key: string, amount: number): void {
    const value = labelOf(node.labels, key);
    if (value === undefined) return;
    const before = this.get(key, value);
    const after = before + amount;
    if (before === 0 && after !== 0) this.pairs++;
    if (before !== 0 && after === 0) this.pairs--;
    let values = this.byKey.get(key);
    if (values === undefined) this.byKey.set(key, (values = new Map()));
    values.set(value, after);
  }

  addTerms(terms: readonly AffinityTerm[], node: NodeInfo, amount: number): void {
    for (const term of terms) this.add(node, term.topologyKey, amount);
  }

  /** Does any key of the node's count something at the node's value? */
  anyAt(node: NodeInfo): boolean {
    if (this.pairs === 0) return false;
    for (const key of this.keys()) {
      const value = labelOf(node.labels, key);
      if (value !== undefined && this.get(key, value) > 0) return true;
    }
    return false;
  }

  clone(): TopologyCounts {
    return new TopologyCounts(this);
  }

  private *keys(): Iterable<string> {
    yield* this.byKey.keys();
    if (this.original !== undefined) yield* this.original.keys();
  }
}
