import { firstFree, fullRange, reservedOf, type ServiceRanges } from './ranges';

const upstreamPorts = { first: 30000, last: 32767 };
const ofPorts = { min: 16, max: 128, part: 32 };
/** Where the numbers begin that a dry run shows for ports that would be handed out. */
const shownFrom = 32768;
/** Numbers below it a dry run does not give twice. */
const searchedBelow = 100;

/** Ports of nodes taken in one write. What one write has taken, it cannot take again. Source: upstream's `PortAllocationOperation`. */
export class PortOperation {
  private readonly taken = new Set<number>();
  private readonly first: number;
  private readonly last: number;

  constructor(private readonly ranges: ServiceRanges) {
    ({ first: this.first, last: this.last } = ranges.nodePorts ?? upstreamPorts);
  }

  /** Takes the port. @returns why it cannot be had */
  take(port: number): string | undefined {
    const isInRange = port >= this.first && port <= this.last;
    // In a dry run any number is good that nobody has.
    if (!this.ranges.dryRun && !isInRange) {
      return `provided port is not in the valid range. The range of valid ports is ${this.first}-${this.last}`;
    }
    if (this.taken.has(port) || (isInRange && this.ranges.usesPort(port))) return 'provided port is already allocated';
    this.taken.add(port);
    return undefined;
  }

  /** Takes any port. */
  takeAny(): { port: number } | { why: string } {
    const port = this.ranges.dryRun ? this.next() : this.free();
    if (port === undefined) return { why: fullRange };
    this.taken.add(port);
    return { port };
  }

  private free(): number | undefined {
    const size = this.last - this.first + 1;
    const isFree = (place: number): boolean => !this.taken.has(this.first + place) && !this.ranges.usesPort(this.first + place);
    const place = firstFree(size, reservedOf(size, ofPorts), (bound) => this.ranges.chance(bound), isFree);
    return place === undefined ? undefined : this.first + place;
  }

  private next(): number {
    const highest = this.taken.size === 0 ? shownFrom : Math.max(...this.taken);
    for (let port = highest + 1; port < searchedBelow; port++) if (!this.taken.has(port)) return port;
    return highest + 1;
  }
}
