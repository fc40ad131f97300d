import type { AffinityTerm } from '../../framework/affinity-terms';
import type { NodeInfo } from '../../framework/node-info';
import { labelOf } from '../../framework/selectors';

/**
 * Numbers by topology key and value. A copy keeps only what changed since, so that a dry run costs what it touches. The original must
 * not change while copies are in use.
 */
export class TopologyCounts {
  private readonly byKey = new Map<string, Map<string, number>>();
  /** How many pairs are not zero. */
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
    if (value !== undefined) this.addAt(key, value, amount);
  }

  addAt(key: string, value: string, amount: number): void {
    const before = this.get(key, value);
    const after = before + amount;
    if (before === 0 && after !== 0) this.pairs++;
    if (before !== 0 && after === 0) this.pairs--;
    let values = this.byKey.get(key);
    if (values === undefined) this.byKey.set(key, (values = new Map()));
    // Zeros of a copy hide what the original says; those of an original are nothing at all.
    if (after === 0 && this.original === undefined) {
      values.delete(value);
      if (values.size === 0) this.byKey.delete(key);
    } else {
      values.set(value, after);
    }
  }

  addTerms(terms: readonly AffinityTerm[], node: NodeInfo, amount: number): void {
    for (const term of terms) this.add(node, term.topologyKey, amount);
  }

  /** Is there a number above zero at any of the node's values? */
  anyAt(node: NodeInfo): boolean {
    if (this.pairs === 0) return false;
    for (const key of this.keys()) {
      const value = labelOf(node.labels, key);
      if (value !== undefined && this.get(key, value) > 0) return true;
    }
    return false;
  }

  private keys(): Iterable<string> {
    const own = this.byKey.keys();
    if (this.original === undefined) return own;
    return this.byKey.size === 0 ? this.original.keys() : new Set([...this.original.keys(), ...own]);
  }

  /** The numbers at all of the node's values together. For originals only. */
  sumAt(node: NodeInfo): number {
    let sum = 0;
    for (const [key, values] of this.byKey) {
      const value = labelOf(node.labels, key);
      if (value !== undefined) sum += values.get(value) ?? 0;
    }
    return sum;
  }

  clone(): TopologyCounts {
    return new TopologyCounts(this);
  }
}
