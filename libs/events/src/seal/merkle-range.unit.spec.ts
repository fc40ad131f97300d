import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MerkleRange, type Hash } from './merkle-range';

const sha = (...parts: Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const leafOfBytes = (hex: string): Hash => sha(Buffer.of(0), Buffer.from(hex, 'hex')).toString('base64url');
const hexOf = (root: Hash): string => Buffer.from(root, 'base64url').toString('hex');

/** The tree hash as RFC 6962, section 2.1, defines it: by recursion. */
function treeHash(leaves: readonly Hash[]): Hash {
  if (leaves.length === 0) return sha().toString('base64url');
  if (leaves.length === 1) return leaves[0]!;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  const [left, right] = [treeHash(leaves.slice(0, split)), treeHash(leaves.slice(split))];
  return sha(Buffer.of(1), Buffer.from(left, 'base64url'), Buffer.from(right, 'base64url')).toString('base64url');
}

function leaves(count: number): Hash[] {
  return Array.from({ length: count }, (_, i) => leafOfBytes(i.toString(16).padStart(4, '0')));
}

function rangeOf(list: readonly Hash[], begin = 0): MerkleRange {
  const range = MerkleRange.empty(begin);
  for (const leaf of list) range.add(leaf);
  return range;
}

describe('a Merkle range', () => {
  it('has the tree hashes of the public test vectors of Certificate Transparency', () => {
    const data = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
    const roots = [
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ];
    expect(roots.map((_, count) => hexOf(rangeOf(data.slice(0, count).map(leafOfBytes)).root()))).toEqual(roots);
  });

  it('has the tree hash of every count, and a peak for each bit of it', () => {
    for (let count = 0; count <= 130; count++) {
      const range = rangeOf(leaves(count));
      expect(range.root()).toBe(treeHash(leaves(count)));
      expect(range.peakHashes()).toHaveLength(count.toString(2).replaceAll('0', '').length);
    }
  });

  it('goes on from its peaks as if it had read all of the leaves', () => {
    const all = leaves(100);
    for (let count = 0; count <= 100; count++) {
      const resumed = MerkleRange.of(count, rangeOf(all.slice(0, count)).peakHashes());
      expect(resumed.root()).toBe(treeHash(all.slice(0, count)));
      for (const leaf of all.slice(count)) resumed.add(leaf);
      expect(resumed.root()).toBe(treeHash(all));
    }
  });

  it('is joined of parts that were made apart, wherever they are cut', () => {
    const all = leaves(67);
    for (let cut = 0; cut <= 67; cut++) {
      for (const second of [cut, Math.min(67, cut + 5), 67]) {
        const joined = rangeOf(all.slice(0, cut));
        joined.join(rangeOf(all.slice(cut, second), cut));
        joined.join(rangeOf(all.slice(second), second));
        expect(joined.root()).toBe(treeHash(all));
        expect(joined.peakHashes()).toEqual(rangeOf(all).peakHashes());
      }
    }
  });

  it('is forked: what one takes in, the other does not', () => {
    const parent = rangeOf(leaves(21));
    const child = parent.fork();
    child.add(leafOfBytes('ff'));
    expect(parent.root()).toBe(treeHash(leaves(21)));
    expect(child.root()).toBe(treeHash([...leaves(21), leafOfBytes('ff')]));
    expect(child.peakHashes().slice(0, 2)).toEqual(parent.peakHashes().slice(0, 2));
  });

  it('refuses what does not fit', () => {
    expect(() => MerkleRange.of(5, [leafOfBytes('')])).toThrow('5 leaves have 2 peaks, not 1');
    expect(() => rangeOf(leaves(3)).join(rangeOf(leaves(2), 4))).toThrow('leaves from 4 on do not follow the first 3');
    const range = rangeOf(['short']);
    expect(() => range.add(leafOfBytes(''))).toThrow('not a SHA-256 in base64url');
  });
});
