/** What Services may be given, and what is given already. */
export interface ServiceRanges {
  /** CIDR notation, IPv4. */
  readonly clusterIPs: string;
  /** Absent: upstream's. */
  readonly nodePorts?: { readonly first: number; readonly last: number };
  /** Nothing is kept: then nobody looks for what is free, and what is handed out only shows where something would be. */
  readonly dryRun?: boolean;
  usesIP(address: string): boolean;
  usesPort(port: number): boolean;
  /** A number in [0, bound): where the search for a free one begins. */
  chance(bound: number): number;
}

export const fullRange = 'range is full';

/** The lower part of a range, which is left to those who ask for something of it as long as there is anything else. */
export function reservedOf(size: number, { min, max, part }: { min: number; max: number; part: number }): number {
  return size <= min ? 0 : Math.min(max, Math.max(min, Math.floor(size / part)));
}

/** The first that is free, from a place that chance gives, in the upper part of [0, size) before the lower one. */
export function firstFree(
  size: number,
  reserved: number,
  chance: (bound: number) => number,
  isFree: (place: number) => boolean,
): number | undefined {
  for (const [from, count] of [
    [reserved, size - reserved],
    [0, reserved],
  ] as const) {
    if (count <= 0) continue;
    const start = chance(count);
    for (let step = 0; step < count; step++) {
      const place = from + ((start + step) % count);
      if (isFree(place)) return place;
    }
  }
  return undefined;
}
