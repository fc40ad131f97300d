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
 * CNI gives them.
 */
export class PodAddresses {
  private readonly ranges = new Map<string, NodeRange>();
  private readonly takenNumbers = new Set<number>();

  /** The address that the pod has on this node, or would be given. Changes nothing. */
  choose(node: KubeObject, podUid: string): string {
    const range = this.ranges.get(node.metadata.name) ?? newRange(node, this.numberOf(node));
    return formatAddress(range.base + (range.byPod.get(podUid) ?? freeOffset(range)));
  }

  /** Gives the pod the address that `choose` names; it is the pod's until it is released. */
  assign(node: KubeObject, podUid: string): void {
    const range = this.rangeOf(node);
    if (range.byPod.has(podUid)) return;
    const offset = freeOffset(range);
    hold(range, offset, podUid);
    range.next = offset + 1;
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
      const number = this.numberOf(node, found);
      // A number that follows from the node's own address is no other node's; any other one has to be kept from others.
      if (ownNumberOf(node) === undefined && !hasOwnRange(node)) this.takenNumbers.add(number);
      range = newRange(node, number);
      this.ranges.set(name, range);
    }
    return range;
  }

  /** Nodes that the kubelet numbered itself keep that number; those with a foreign address get one from the far end. */
  private numberOf(node: KubeObject, found?: number): number {
    const own = ownNumberOf(node);
    if (own !== undefined) return own;
    let number = found !== undefined && found >= 0 && found < nodesMax ? found : nodesMax - 1;
    while (number > 0 && this.takenNumbers.has(number)) number--;
    return number;
  }
}

function ownNumberOf(node: KubeObject): number | undefined {
  const own = nodeNumberOf(internalIP(node));
  return own === undefined ? undefined : own % nodesMax;
}

function hasOwnRange(node: KubeObject): boolean {
  return parseCidr(node.spec?.podCIDR) !== undefined;
}

function newRange(node: KubeObject, number: number): NodeRange {
  const { base, size } = parseCidr(node.spec?.podCIDR) ?? { base: networkBase + number * addressesPerNode, size: addressesPerNode };
  return { base, size, next: firstOffset, held: new Map(), byPod: new Map() };
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
