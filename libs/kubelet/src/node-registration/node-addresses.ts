/** Nodes without an address of their own are given one from 172.18.0.0/16, from .0.2 on. */
const prefix = '172.18.';
const firstNumber = 2;
const numbersMax = 65_534;

/** The node's address for its number. */
export function nodeAddress(number: number): string {
  return `${prefix}${(number >> 8) & 255}.${number & 255}`;
}

/** The number of a node with such an address; undefined for any other address. */
export function nodeNumberOf(address: string | undefined): number | undefined {
  if (!address?.startsWith(prefix)) return undefined;
  const match = /^(\d{1,3})\.(\d{1,3})$/.exec(address.slice(prefix.length));
  return match ? Number(match[1]) * 256 + Number(match[2]) : undefined;
}

/** Numbers of nodes: each the next one, and never one that is in use. */
export class NodeNumbers {
  private next = firstNumber;
  private readonly byNode = new Map<string, number>();

  /** Takes note of a number found in use. */
  note(number: number): void {
    if (number >= this.next) this.next = number + 1;
  }

  /** The number that the node with this uid has, or would be given. Changes nothing. */
  choose(nodeUid: string): number {
    return this.byNode.get(nodeUid) ?? Math.min(this.next, numbersMax);
  }

  /** Gives the node the number that `choose` names. */
  assign(nodeUid: string): void {
    if (this.byNode.has(nodeUid)) return;
    const number = this.choose(nodeUid);
    this.next = number + 1;
    this.byNode.set(nodeUid, number);
  }

  forget(nodeUid: string): void {
    this.byNode.delete(nodeUid);
  }
}
