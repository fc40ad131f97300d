import type { KubeObject } from '#libs/kernel';
import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint, Hint } from '../../framework/events';
import type { FilterPlugin, PreFilterPlugin } from '../../framework/interface';
import { assignedNode, nominatedNode } from '../../framework/kube-types';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import { podInfoOf } from '../../framework/pod-info';
import type { Status } from '../../framework/status';
import { errorStatus, skip, unresolvable, unschedulable } from '../../framework/status';
import { usesClaim } from '../../framework/volumes';
import type { Attachments } from './attachments';
import { attachedByNode, attachmentsOf, hasAttachable, inTreeDriver } from './attachments';

const name = 'NodeVolumeLimits';
const exceeded = unschedulable(name, 'node(s) exceed max volume count');

class Attached implements StateData {
  constructor(readonly byNode: ReadonlyMap<string, Attachments>) {}
  clone(): this {
    return this;
  }
}
const attachedKey = stateKey<Attached>('NodeVolumeLimits');

/** How many volumes of each CSI driver can be attached to the node, by its CSINode. */
export class NodeVolumeLimits implements PreFilterPlugin, FilterPlugin {
  readonly name = name;

  preFilter(state: CycleState, pod: PodInfo): Status | undefined {
    if (!hasAttachable(pod)) return skip;
    state.write(attachedKey, new Attached(attachedByNode(state.cycle.snapshot.listers)));
    return undefined;
  }

  filter(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    const { listers } = state.cycle.snapshot;
    const csiNode = listers.table('csinodes').get('', node.name);
    const wanted: Attachments = new Map();
    const problem = attachmentsOf(listers, pod, csiNode, true, wanted);
    if (problem !== undefined) return problem.isMissing ? unresolvable(name, problem.message) : errorStatus(name, problem.message);
    if (wanted.size === 0) return undefined;
    const limits = limitsOf(csiNode);
    if (limits.size === 0) return undefined;

    const attached: Attachments = new Map();
    for (const other of node.pods) {
      const failure = attachmentsOf(listers, other, csiNode, false, attached);
      if (failure !== undefined) return errorStatus(name, failure.message);
    }
    const counts = new Map<string, number>();
    for (const [volume, driver] of attached) {
      // A volume that is attached already costs nothing more.
      wanted.delete(volume);
      counts.set(driver, (counts.get(driver) ?? 0) + 1);
    }
    for (const [volume, driver] of state.read(attachedKey)?.byNode.get(node.name) ?? []) {
      if (!attached.has(volume)) counts.set(driver, (counts.get(driver) ?? 0) + 1);
    }
    const drivers = new Set(wanted.values());
    for (const driver of wanted.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
    for (const driver of drivers) if ((counts.get(driver) ?? 0) > (limits.get(driver) ?? Infinity)) return exceeded;
    return undefined;
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      on('CSINode', Action.Add),
      on('CSINode', Action.Update, (_pod, old, updated): Hint => (limitsRaised(old, updated) ? 'Queue' : 'QueueSkip')),
      on('AssignedPod', Action.Delete, afterPodDelete),
      on('PersistentVolumeClaim', Action.Add, (pod, _old, added): Hint =>
        added !== undefined && usesClaim(pod, added) ? 'Queue' : 'QueueSkip',
      ),
      on('VolumeAttachment', Action.Delete, afterDetach),
    ];
  }
}

/** Attachable volumes by driver; drivers without a count have no limit. */
function limitsOf(csiNode: KubeObject | undefined): Map<string, number> {
  const limits = new Map<string, number>();
  const drivers = (csiNode?.spec?.drivers ?? []) as { name: string; allocatable?: { count?: number } }[];
  for (const { name: driver, allocatable } of drivers) {
    if (allocatable?.count !== undefined && allocatable.count !== null) limits.set(driver, allocatable.count);
  }
  return limits;
}

function limitsRaised(old: KubeObject | undefined, updated: KubeObject | undefined): boolean {
  const before = limitsOf(old);
  for (const [driver, count] of limitsOf(updated)) if (count > (before.get(driver) ?? 0)) return true;
  return false;
}

function afterPodDelete(_pod: PodInfo, deleted: KubeObject | undefined): Hint {
  if (deleted === undefined || (assignedNode(deleted) === '' && nominatedNode(deleted) === '')) return 'QueueSkip';
  const { spec } = podInfoOf(deleted);
  const isAttached = (spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim ?? volume.ephemeral ?? inTreeDriver(volume));
  return isAttached ? 'Queue' : 'QueueSkip';
}

/** Any claim may have been waiting for the slot; an in-line disk only for one of its driver. */
function afterDetach(pod: PodInfo, detached: KubeObject | undefined): Hint {
  for (const volume of pod.spec.volumes ?? []) {
    if (volume.persistentVolumeClaim !== undefined) return 'Queue';
    if (inTreeDriver(volume)?.driver === detached?.spec?.attacher) return 'Queue';
  }
  return 'QueueSkip';
}
