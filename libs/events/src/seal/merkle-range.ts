import { hash } from 'node:crypto';

/** SHA-256 as base64url: 43 characters. */
export type Hash = string;

/** The root of 2^level leaves, the first of them a multiple of that. */
interface Peak {
  first: number;
  level: number;
  hash: Hash;
}

const hashBytes = 32;
/** What is hashed for an inner node: 1, the left and the right node. */
const node = Buffer.alloc(1 + 2 * hashBytes);
node[0] = 1;

/** @throws TypeError when one of them is no hash: the bytes of another would be taken in its place */
function nodeOf(left: Hash, right: Hash): Hash {
  const written = node.write(left, 1, hashBytes, 'base64url') + node.write(right, 1 + hashBytes, hashBytes, 'base64url');
  if (written !== 2 * hashBytes) throw new TypeError('not a SHA-256 in base64url');
  return hash('sha256', node, 'base64url');
}

/**
 * Some consecutive leaves of a Merkle tree that only grows (RFC 6962, section 2.1; its inner nodes and roots), as the fewest whole trees
 * that cover them: the peaks of a Merkle mountain range, one for each bit of the count at most, twice that where the leaves do not begin
 * with the first. Neighbours can be made apart and joined, and those who go on from one range share its peaks.
 */
export class MerkleRange {
  private readonly peaks: Peak[] = [];

  /** @param begin number of the first leaf, from 0 @param end number behind the last one */
  private constructor(
    readonly begin: number,
    public end: number,
  ) {}

  /** No leaves yet. @param begin how many are before its first one */
  static empty(begin = 0): MerkleRange {
    return new MerkleRange(begin, begin);
  }

  /**
   * The first `count` leaves, by the peaks that `peakHashes` gave.
   * @throws RangeError when there are not as many peaks as so many leaves have
   */
  static of(count: number, peakHashes: readonly Hash[]): MerkleRange {
    const range = new MerkleRange(0, count);
    let first = 0;
    for (let level = Math.floor(Math.log2(Math.max(count, 1))); level >= 0; level--) {
      const size = 2 ** level;
      if (count - first < size) continue;
      range.peaks.push({ first, level, hash: peakHashes[range.peaks.length] ?? '' });
      first += size;
    }
    if (range.peaks.length !== peakHashes.length)
      throw new RangeError(`${count} leaves have ${range.peaks.length} peaks, not ${peakHashes.length}`);
    return range;
  }

  add(leaf: Hash): void {
    this.push({ first: this.end, level: 0, hash: leaf });
    this.end++;
  }

  /** Goes on with the leaves that follow these. @throws RangeError when the other does not begin where this ends */
  join(next: MerkleRange): void {
    if (next.begin !== this.end) throw new RangeError(`leaves from ${next.begin} on do not follow the first ${this.end}`);
    for (const peak of next.peaks) this.push(peak);
    this.end = next.end;
  }

  /** The same leaves; what either takes in from here on, the other does not. */
  fork(): MerkleRange {
    const range = new MerkleRange(this.begin, this.end);
    range.peaks.push(...this.peaks);
    return range;
  }

  /** Roots of the whole trees, from the left. */
  peakHashes(): Hash[] {
    return this.peaks.map((peak) => peak.hash);
  }

  /** One hash over all of the leaves; of none, that of nothing. For leaves that begin with the first it is RFC 6962's tree hash. */
  root(): Hash {
    const last = this.peaks[this.peaks.length - 1];
    if (!last) return hash('sha256', '', 'base64url');
    let root = last.hash;
    for (let i = this.peaks.length - 2; i >= 0; i--) root = nodeOf((this.peaks[i] as Peak).hash, root);
    return root;
  }

  private push(peak: Peak): void {
    let top = peak;
    for (;;) {
      const left = this.peaks[this.peaks.length - 1];
      if (left?.level !== top.level || left.first % 2 ** (left.level + 1) !== 0) break;
      this.peaks.pop();
      top = { first: left.first, level: left.level + 1, hash: nodeOf(left.hash, top.hash) };
    }
    this.peaks.push(top);
  }
}
