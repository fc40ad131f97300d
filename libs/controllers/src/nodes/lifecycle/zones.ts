import type { KubeObject } from '#libs/kernel';
import type { NodeLifecycleSettings } from './settings';

/** `initial`: no pass has counted its nodes yet. */
export type ZoneState = 'initial' | 'normal' | 'partial' | 'full';

export interface Zone {
  readonly state: ZoneState;
  /** Nodes a second that are given a NoExecute taint. */
  readonly rate: number;
  /** When the next may be, ms; counts while the rate is not 0. */
  readonly freeAt: number;
}

export type Zones = ReadonlyMap<string, Zone>;

/** How many nodes of a zone are ready, and how many are not. */
export interface ZoneCount {
  ready: number;
  notReady: number;
}

/** The name of the zone that a node is in; empty: it names none. */
export function zoneOf({ metadata }: KubeObject): string {
  const labels = metadata.labels ?? {};
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}/${zone}`;
}

/** The node does not count in the state of its zone. */
export function isExcluded({ metadata }: KubeObject): boolean {
  return metadata.labels !== undefined && 'node.kubernetes.io/exclude-disruption' in metadata.labels;
}

/** What a pass makes of the zones. */
export interface ZonePass {
  zones: Zones;
  /** All nodes have become not ready: it may be this controller that hears nothing, so evictions stop. */
  stops?: boolean;
  /** Some node is ready again after that: silence counts from now on. */
  resumes?: boolean;
}

/** The zones after their nodes have been counted (upstream `handleDisruption`). @param now ms */
export function zonesAfter(before: Zones, counts: ReadonlyMap<string, ZoneCount>, settings: NodeLifecycleSettings, now: number): ZonePass {
  const known = new Map([...counts.keys()].map((name) => [name, before.get(name) ?? firstZone(settings)]));
  const states = new Map([...counts].map(([name, count]) => [name, stateOf(count, settings)]));
  const areAllFull = [...states.values()].every((state) => state === 'full');
  const wereAllFull = [...known.values()].every(({ state }) => state === 'full');
  if (areAllFull && wereAllFull) return { zones: known };
  if (areAllFull) return { zones: mapped(known, () => ({ state: 'full', rate: 0, freeAt: now })), stops: true };
  const zones = mapped(known, (name, zone) => {
    const state = states.get(name) as ZoneState;
    if (state === zone.state && !wereAllFull) return zone;
    return { ...withRate(zone, rateIn(state, counts.get(name) as ZoneCount, settings), now), state };
  });
  return wereAllFull ? { zones, resumes: true } : { zones };
}

/** The zone after a node in it was given its taint. */
export function afterTaint(zone: Zone, now: number): Zone {
  return { ...zone, freeAt: now + 1_000 / zone.rate };
}

function firstZone({ evictionRate }: NodeLifecycleSettings): Zone {
  return { state: 'initial', rate: evictionRate, freeAt: 0 };
}

function stateOf({ ready, notReady }: ZoneCount, { unhealthyZoneThreshold }: NodeLifecycleSettings): ZoneState {
  if (ready === 0 && notReady > 0) return 'full';
  return notReady > 2 && notReady / (notReady + ready) >= unhealthyZoneThreshold ? 'partial' : 'normal';
}

/** A zone that is gone altogether is no reason for haste or delay; one that is partly gone is. */
function rateIn(state: ZoneState, { ready, notReady }: ZoneCount, settings: NodeLifecycleSettings): number {
  if (state !== 'partial') return settings.evictionRate;
  return ready + notReady > settings.largeClusterThreshold ? settings.secondaryEvictionRate : 0;
}

/** With another rate, whoever waited goes on waiting, for as long as the new rate says. */
function withRate(zone: Zone, rate: number, now: number): Zone {
  if (zone.rate === rate) return zone;
  const isFree = zone.rate > 0 && zone.freeAt <= now;
  return { ...zone, rate, freeAt: isFree || rate === 0 ? now : now + 1_000 / rate };
}

function mapped(zones: Zones, change: (name: string, zone: Zone) => Zone): Zones {
  return new Map([...zones].map(([name, zone]) => [name, change(name, zone)]));
}
