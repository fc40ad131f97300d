import type { KubeObject } from '#libs/kernel';
import { labelOf, noLabels } from '../framework/selectors';

/**
 * Node names by zone. The order it lists them in is the order the filters visit them: one node of each zone in turn, so that
 * sampling spreads over zones. Zones in the order they were first seen, nodes of a zone in order of arrival.
 */
export class NodeTree {
  private readonly zones = new Map<string, string[]>();
  private readonly zoneOfNode = new Map<string, string>();

  get size(): number {
    return this.zoneOfNode.size;
  }

  /** True when the order of nodes changed. */
  add(node: KubeObject): boolean {
    const name = node.metadata.name;
    const zone = zoneKeyOf(node);
    const known = this.zoneOfNode.get(name);
    if (known === zone) return false;
    if (known !== undefined) this.remove(name);
    const names = this.zones.get(zone);
    if (names === undefined) this.zones.set(zone, [name]);
    else names.push(name);
    this.zoneOfNode.set(name, zone);
    return true;
  }

  remove(name: string): void {
    const zone = this.zoneOfNode.get(name);
    if (zone === undefined) return;
    this.zoneOfNode.delete(name);
    const names = this.zones.get(zone) ?? [];
    names.splice(names.indexOf(name), 1);
    // A zone that comes back is seen for the first time again.
    if (names.length === 0) this.zones.delete(zone);
  }

  list(): string[] {
    const names: string[] = [];
    const zones = [...this.zones.values()];
    for (let round = 0; names.length < this.zoneOfNode.size; round++) {
      for (const zone of zones) if (round < zone.length) names.push(zone[round] as string);
    }
    return names;
  }
}

/** Region and zone together; the labels of before 1.17 count where the current ones are absent. */
export function zoneKeyOf(node: KubeObject): string {
  const labels = node.metadata.labels ?? noLabels;
  const zone = labelOf(labels, 'topology.kubernetes.io/zone') ?? labelOf(labels, 'failure-domain.beta.kubernetes.io/zone') ?? '';
  const region = labelOf(labels, 'topology.kubernetes.io/region') ?? labelOf(labels, 'failure-domain.beta.kubernetes.io/region') ?? '';
  return zone === '' && region === '' ? '' : `${region}:\x00:${zone}`;
}
