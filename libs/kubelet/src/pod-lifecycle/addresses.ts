import type { KubeObject } from '#libs/kernel';
import { nodeNumberOf } from '../node-registration/node-addresses';
import { internalIP } from '../node-registration/node-of-kubelet';

/** Pods are given addresses from 10.128.0.0/9: 1,024 a node, the first two of them not for pods. */
const networkBase = (10 << 24) | (128 << 16);
const addressesPerNode = 1_024;
const firstOffset = 2;
const nodesMax = 8_192;

interface NodeRange {
  base: number;
  size: number;
  next: number;
  /** Pod uid by offset, and the other way round. */
  held: Map<number, string>;
  byPod: Map<string, number>;
}

/**
 * Addresses of pods: a range a node (its podCIDR if it has one), in it the next free one, round and round, as host-local
 * CNI gives them. Hidden input of a decision; the log shows what was given.
 */
export class PodAddresses {
  private readonly ranges = new Map<string, NodeRange>();
  private readonly takenNumbers = new Set<number>();

  /** The address of the pod on this node; the same for as long as the pod holds one. */
  assign(node: KubeObject, podUid: string): string {
    const range = this.rangeOf(node);
    let offset = range.byPod.get(podUid);
    if (offset === undefined) {
      offset = freeOffset(range);
      hold(range, offset, podUid);
      range.next = offset + 1;
    }
    return formatAddress(range.base + offset);
  }

  /** Takes note of an address found in a pod's status. */
  note(node: KubeObject, podUid: string, address: string): void {
    const value = parseAddress(address) ?? -1;
    const range = this.rangeOf(node, Math.floor((value - networkBase) / addressesPerNode));
    const offset = value - range.base;
    if (offset < 0 || offset >= range.size || range.byPod.has(podUid)) return;
    hold(range, offset, podUid);
    if (offset >= range.next) range.next = offset + 1;
  }

  release(nodeName: string, podUid: string): void {
    const range = this.ranges.get(nodeName);
    const offset = range?.byPod.get(podUid);
    if (!range || offset === undefined) return;
    range.byPod.delete(podUid);
    if (range.held.get(offset) === podUid) range.held.delete(offset);
  }

  forget(nodeName: string): void {
    this.ranges.delete(nodeName);
  }

  /** `found`: the number that an address of the node's pods points to. */
  private rangeOf(node: KubeObject, found?: number): NodeRange {
    const { name } = node.metadata;
    let range = this.ranges.get(name);
    if (!range) {
      const { base, size } = parseCidr(node.spec?.podCIDR) ?? {
        base: networkBase + this.numberOf(node, found) * addressesPerNode,
        size: addressesPerNode,
      };
      range = { base, size, next: firstOffset, held: new Map(), byPod: new Map() };
      this.ranges.set(name, range);
    }
    return range;
  }

  /** Nodes that the kubelet numbered itself keep that number; those with a foreign address get one from the far end. */
  private numberOf(node: KubeObject, found: number | undefined): number {
    const own = nodeNumberOf(internalIP(node));
    if (own !== undefined) return own % nodesMax;
    let number = found !== undefined && found >= 0 && found < nodesMax ? found : nodesMax - 1;
    while (number > 0 && this.takenNumbers.has(number)) number--;
    this.takenNumbers.add(number);
    return number;
  }
}

function hold(range: NodeRange, offset: number, podUid: string): void {
  range.held.set(offset, podUid);
  range.byPod.set(podUid, offset);
}

/** The next free offset; where none is free, addresses are given twice rather than not at all. */
function freeOffset(range: NodeRange): number {
  const last = range.size - 2;
  for (let tried = 0, offset = range.next; tried < range.size; tried++, offset++) {
    if (offset > last) offset = firstOffset;
    if (!range.held.has(offset)) return offset;
  }
  return firstOffset;
}

export function formatAddress(value: number): string {
  return `${(value >>> 24) & 255}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

export function parseAddress(text: string | undefined): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text ?? '');
  if (!match) return undefined;
  return match.slice(1).reduce((value, part) => value * 256 + Number(part), 0);
}

function parseCidr(cidr: unknown): { base: number; size: number } | undefined {
  if (typeof cidr !== 'string') return undefined;
  const [address, length] = cidr.split('/');
  const base = parseAddress(address);
  const bits = Number(length);
  if (base === undefined || !(bits >= 8 && bits <= 29)) return undefined;
  return { base, size: 2 ** (32 - bits) };
}
