import type { KubeObject } from '#libs/kernel';
import { jsonEqual } from '#libs/kernel';
import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint, Hint } from '../../framework/events';
import type { FilterPlugin, PreFilterPlugin } from '../../framework/interface';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import { labelOf, noLabels } from '../../framework/selectors';
import type { Status } from '../../framework/status';
import { skip, unresolvable } from '../../framework/status';
import { claimNotFound, claimOf, claimVolumesOf, storageClassOf, usesClaim, volumeNameOf } from '../../framework/volumes';

const name = 'VolumeZone';
const refused = unresolvable(name, 'node(s) had no available volume zone');

/** Zone and region, today's labels and those of before 1.17, with what the old ones are called today. */
const topologyLabels: readonly (readonly [string, string])[] = [
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['topology.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'topology.kubernetes.io/region'],
];

interface VolumeTopology {
  readonly key: string;
  readonly currentKey: string;
  readonly values: readonly string[];
}

class Topologies implements StateData {
  constructor(readonly list: readonly VolumeTopology[]) {}
  clone(): this {
    return this;
  }
}
const topologiesKey = stateKey<Topologies>('VolumeZone');

/** A volume that is labelled with a zone or region can be used there only. */
export class VolumeZone implements PreFilterPlugin, FilterPlugin {
  readonly name = name;

  preFilter(state: CycleState, pod: PodInfo): Status | undefined {
    const { listers } = state.cycle.snapshot;
    const topologies: VolumeTopology[] = [];
    for (const { claimName } of claimVolumesOf(pod)) {
      const claim = claimOf(listers, pod.namespace, claimName);
      if (claim === undefined) return unresolvable(name, claimNotFound(claimName));
      const volumeName = volumeNameOf(claim);
      if (volumeName === '') {
        const className = storageClassOf(claim);
        if (className === '') return unresolvable(name, 'PersistentVolumeClaim had no pv name and storageClass name');
        const storageClass = listers.table('storageclasses').get('', className);
        if (storageClass === undefined) return unresolvable(name, `storageclass.storage.k8s.io "${className}" not found`);
        if (storageClass.volumeBindingMode === 'WaitForFirstConsumer') continue;
        return unresolvable(name, 'PersistentVolume had no name');
      }
      const volume = listers.table('persistentvolumes').get('', volumeName);
      if (volume === undefined) return unresolvable(name, `persistentvolume "${volumeName}" not found`);
      topologies.push(...topologiesOf(volume));
    }
    if (topologies.length === 0) return skip;
    state.write(topologiesKey, new Topologies(topologies));
    return undefined;
  }

  /** A node without any zone or region label is in a cluster without zones, and takes every volume. */
  filter(state: CycleState, _pod: PodInfo, node: NodeInfo): Status | undefined {
    if (topologyLabels.every(([key]) => labelOf(node.labels, key) === undefined)) return undefined;
    for (const { key, currentKey, values } of state.read(topologiesKey)?.list ?? []) {
      const value = labelOf(node.labels, key) ?? labelOf(node.labels, currentKey);
      if (value === undefined || !values.includes(value)) return refused;
    }
    return undefined;
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      on('StorageClass', Action.Add, (_pod, _old, added): Hint =>
        added?.volumeBindingMode === 'WaitForFirstConsumer' ? 'Queue' : 'QueueSkip',
      ),
      on('Node', Action.Add | Action.UpdateNodeLabel),
      on('PersistentVolumeClaim', Action.Add | Action.Update, (pod, _old, updated): Hint =>
        updated !== undefined && usesClaim(pod, updated) ? 'Queue' : 'QueueSkip',
      ),
      on('PersistentVolume', Action.Add | Action.Update, (_pod, old, updated): Hint => {
        if (updated === undefined) return 'QueueSkip';
        return old === undefined || !jsonEqual(topologiesOf(old), topologiesOf(updated)) ? 'Queue' : 'QueueSkip';
      }),
    ];
  }
}

/** A label may name several zones, divided by two underscores. */
function topologiesOf(volume: KubeObject): VolumeTopology[] {
  const topologies: VolumeTopology[] = [];
  for (const [key, currentKey] of topologyLabels) {
    const value = labelOf(volume.metadata.labels ?? noLabels, key);
    if (value !== undefined) topologies.push({ key, currentKey, values: value.split('__') });
  }
  return topologies;
}
