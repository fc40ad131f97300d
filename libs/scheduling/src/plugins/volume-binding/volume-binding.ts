import type { KubeObject } from '#libs/kernel';
import { jsonEqual, quantityValue } from '#libs/kernel';
import type { CycleState } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint, Hint } from '../../framework/events';
import type { FilterPlugin, ObjectWrite, PreBindPlugin, PreFilterPlugin } from '../../framework/interface';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import type { Status } from '../../framework/status';
import { errorStatus, skip, unresolvable } from '../../framework/status';
import { usesClaim } from '../../framework/volumes';
import { findPodVolumes } from './find-volumes';
import { PodClaims, podClaims } from './pod-claims';

const name = 'VolumeBinding';
const unboundImmediate = unresolvable(name, 'pod has unbound immediate PersistentVolumeClaims');
const claimsKey = stateKey<PodClaims>('VolumeBinding');

/** Bound claims must be reachable, unbound ones that wait for a node must be bindable there. */
export class VolumeBinding implements PreFilterPlugin, FilterPlugin, PreBindPlugin {
  readonly name = name;

  preFilter(state: CycleState, pod: PodInfo): Status | undefined {
    const claims = podClaims(state.cycle.snapshot.listers, pod);
    if (claims === undefined) return skip;
    if (typeof claims === 'string') return unresolvable(name, claims);
    if (claims.immediate.length > 0) return unboundImmediate;
    state.write(claimsKey, claims);
    return undefined;
  }

  filter(state: CycleState, _pod: PodInfo, node: NodeInfo): Status | undefined {
    const claims = state.read(claimsKey);
    if (claims === undefined) return undefined;
    const verdict = findPodVolumes(state.cycle.snapshot.listers, claims, node);
    if (verdict.error !== undefined) return errorStatus(name, verdict.error);
    const reasons: string[] = [];
    if (!verdict.boundReach) reasons.push("node(s) didn't match PersistentVolume's node affinity");
    if (!verdict.unboundFound) reasons.push("node(s) didn't find available persistent volumes to bind");
    if (!verdict.isStorageEnough) reasons.push('node(s) did not have enough free storage');
    if (!verdict.boundExist) reasons.push('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)');
    return reasons.length === 0 ? undefined : unresolvable(name, ...reasons);
  }

  /** Volumes get their claim, claims to be provisioned the node; the volume controller does the rest, and the pod waits for it. */
  preBind(state: CycleState, _pod: PodInfo, node: NodeInfo): { status: undefined; writes: readonly ObjectWrite[] } {
    const claims = state.read(claimsKey);
    if (claims === undefined || claims.delayed.length === 0) return { status: undefined, writes: [] };
    const { staticBindings, provisions } = findPodVolumes(state.cycle.snapshot.listers, claims, node).volumes;
    return {
      status: undefined,
      writes: [
        ...staticBindings.map(({ claim, volume }) => bindVolume(volume, claim)),
        ...provisions.map((claim) => selectNode(claim, node.name)),
      ],
    };
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      on('StorageClass', Action.Add | Action.Update, (_pod, old, updated): Hint =>
        old === undefined || !jsonEqual(old.allowedTopologies ?? [], updated?.allowedTopologies ?? []) ? 'Queue' : 'QueueSkip',
      ),
      on('PersistentVolumeClaim', Action.Add | Action.Update, (pod, _old, updated): Hint =>
        updated !== undefined && usesClaim(pod, updated) ? 'Queue' : 'QueueSkip',
      ),
      on('PersistentVolume', Action.Add | Action.Update),
      on('Node', Action.Add | Action.UpdateNodeLabel),
      on('CSINode', Action.Add | Action.Update, (_pod, old, updated): Hint =>
        old === undefined || migrated(old) !== migrated(updated) ? 'Queue' : 'QueueSkip',
      ),
      on('CSIDriver', Action.Update, (_pod, old, updated): Hint =>
        old?.spec?.storageCapacity === true && updated?.spec?.storageCapacity !== true ? 'Queue' : 'QueueSkip',
      ),
      on('CSIStorageCapacity', Action.Add | Action.Update, (_pod, old, updated): Hint =>
        old === undefined ||
        quantityValue(updated?.capacity) > quantityValue(old.capacity) ||
        quantityValue(updated?.maximumVolumeSize) > quantityValue(old.maximumVolumeSize)
          ? 'Queue'
          : 'QueueSkip',
      ),
    ];
  }
}

function migrated(csiNode: KubeObject | undefined): string {
  return csiNode?.metadata.annotations?.['storage.alpha.kubernetes.io/migrated-plugins'] ?? '';
}

function bindVolume(volume: KubeObject, claim: KubeObject): ObjectWrite {
  const { namespace, name: claimName, uid } = claim.metadata;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claimName, uid };
  const annotations = { 'pv.kubernetes.io/bound-by-controller': 'yes' };
  return {
    resource: 'persistentvolumes',
    namespace: '',
    name: volume.metadata.name,
    patch: { metadata: { annotations }, spec: { claimRef } },
  };
}

function selectNode(claim: KubeObject, nodeName: string): ObjectWrite {
  const annotations = { 'volume.kubernetes.io/selected-node': nodeName };
  return {
    resource: 'persistentvolumeclaims',
    namespace: claim.metadata.namespace ?? '',
    name: claim.metadata.name,
    patch: { metadata: { annotations } },
  };
}
