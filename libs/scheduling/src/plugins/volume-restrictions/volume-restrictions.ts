import type { KubeObject } from '#libs/kernel';
import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint, Hint } from '../../framework/events';
import type { FilterPlugin, PreFilterPlugin } from '../../framework/interface';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import { podInfoOf } from '../../framework/pod-info';
import type { Status } from '../../framework/status';
import { skip, unresolvable, unschedulable } from '../../framework/status';
import { claimNotFound, claimOf, usesClaim } from '../../framework/volumes';
import { isExclusiveDisk, podsConflict } from './disk-conflicts';

const name = 'VolumeRestrictions';
const diskConflict = unschedulable(name, 'node(s) had no available disk');
const claimInUse = unschedulable(
  name,
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);

class Restrictions implements StateData {
  constructor(
    /** The pod's ReadWriteOncePod claims (`namespace/name`). */
    readonly exclusiveClaims: ReadonlySet<string>,
    public conflictCount: number,
  ) {}

  clone(): Restrictions {
    return new Restrictions(this.exclusiveClaims, this.conflictCount);
  }

  update(other: PodInfo, amount: 1 | -1): void {
    for (const claim of other.claimKeys) if (this.exclusiveClaims.has(claim)) this.conflictCount += amount;
  }
}
const restrictionsKey = stateKey<Restrictions>('VolumeRestrictions');

/** Disks that one node (or one pod) alone may use: some in-line disks on the node, ReadWriteOncePod claims in the whole cluster. */
export class VolumeRestrictions implements PreFilterPlugin, FilterPlugin {
  readonly name = name;

  preFilter(state: CycleState, pod: PodInfo): Status | undefined {
    const { snapshot } = state.cycle;
    const exclusive = new Set<string>();
    let conflictCount = 0;
    for (const volume of pod.spec.volumes ?? []) {
      const claimName = volume.persistentVolumeClaim?.claimName;
      if (claimName === undefined) continue;
      const claim = claimOf(snapshot.listers, pod.namespace, claimName);
      if (claim === undefined) return unresolvable(name, claimNotFound(claimName));
      const key = `${pod.namespace}/${claimName}`;
      if (!isReadWriteOncePod(claim) || exclusive.has(key)) continue;
      exclusive.add(key);
      if (snapshot.claimUseCount(key) > 0) conflictCount++;
    }
    if (exclusive.size === 0 && !(pod.spec.volumes ?? []).some(isExclusiveDisk)) return skip;
    state.write(restrictionsKey, new Restrictions(exclusive, conflictCount));
    return undefined;
  }

  addPod(state: CycleState, _pod: PodInfo, added: PodInfo): undefined {
    state.read(restrictionsKey)?.update(added, 1);
  }

  removePod(state: CycleState, _pod: PodInfo, removed: PodInfo): undefined {
    state.read(restrictionsKey)?.update(removed, -1);
  }

  filter(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    if (node.pods.some((other) => podsConflict(pod.spec, other.spec))) return diskConflict;
    return (state.read(restrictionsKey)?.conflictCount ?? 0) > 0 ? claimInUse : undefined;
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      on('AssignedPod', Action.Delete, afterPodDelete),
      on('Node', Action.Add),
      on('PersistentVolumeClaim', Action.Add, (pod, _old, added): Hint =>
        added !== undefined && usesClaim(pod, added) ? 'Queue' : 'QueueSkip',
      ),
    ];
  }
}

function isReadWriteOncePod(claim: KubeObject): boolean {
  return ((claim.spec?.accessModes ?? []) as string[]).includes('ReadWriteOncePod');
}

function afterPodDelete(pod: PodInfo, deleted: KubeObject | undefined): Hint {
  if (deleted === undefined || deleted.metadata.namespace !== pod.namespace) return 'QueueSkip';
  const other = podInfoOf(deleted);
  if (podsConflict(pod.spec, other.spec)) return 'Queue';
  return other.claimKeys.some((claim) => pod.claimKeys.includes(claim)) ? 'Queue' : 'QueueSkip';
}
