import type { KubeObject } from '#libs/kernel';
import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint, Hint } from '../../framework/events';
import type {
  FilterPlugin,
  ObjectWrite,
  PostFilterPlugin,
  PostFilterResult,
  PreBindPlugin,
  PreEnqueueContext,
  PreEnqueuePlugin,
  PreFilterPlugin,
} from '../../framework/interface';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import { compileNodeSelector, nodeSelectorMatches } from '../../framework/selectors';
import type { Status } from '../../framework/status';
import { errorStatus, skip, unresolvable, unschedulable } from '../../framework/status';
import { allocateAll, devicesInUse, requestsOf, unsupportedSelector } from './allocate';
import { allocationOf, podResourceClaims, reservedFor } from './pod-claims';

const name = 'DynamicResources';
const nothingToDeallocate = unschedulable(name, 'no new claims to deallocate');
const stillNotSchedulable = unschedulable(name, 'still not schedulable');
const deallocated = unschedulable(name, 'deallocation of ResourceClaim completed');
const missingState = errorStatus(name, 'not found');
const notAvailable = unresolvable(name, 'resourceclaim not available on the node');
const notAllocatable = unresolvable(name, 'cannot allocate all claims');
const inUse = unresolvable(name, 'resourceclaim in use');
const reservationsMax = 256;

type ToAllocate = { claim: KubeObject; requests: Exclude<ReturnType<typeof requestsOf>, string> };

class Claims implements StateData {
  readonly allocated: KubeObject[] = [];
  readonly toAllocate: ToAllocate[] = [];
  /** Allocated claims that some node cannot use. */
  readonly unavailable = new Set<KubeObject>();
  devicesInUse: ReadonlySet<string> = new Set();

  clone(): this {
    return this;
  }
}
const claimsKey = stateKey<Claims>('DynamicResources/claims');

/**
 * ResourceClaims: allocated ones must be usable from the node, others allocatable there. Devices are chosen by class, count and driver;
 * other selections are refused as errors.
 */
export class DynamicResources implements PreEnqueuePlugin, PreFilterPlugin, FilterPlugin, PostFilterPlugin, PreBindPlugin {
  readonly name = name;

  preEnqueue(pod: PodInfo, { listers }: PreEnqueueContext): Status | undefined {
    if ((pod.spec.resourceClaims ?? []).length === 0) return undefined;
    const claims = podResourceClaims(listers, pod);
    return typeof claims === 'string' ? unresolvable(name, claims) : undefined;
  }

  preFilter(state: CycleState, pod: PodInfo): Status | undefined {
    const data = new Claims();
    if ((pod.spec.resourceClaims ?? []).length === 0) {
      state.write(claimsKey, data);
      return skip;
    }
    const { listers } = state.cycle.snapshot;
    const claims = podResourceClaims(listers, pod);
    if (typeof claims === 'string') return unresolvable(name, claims);
    for (const claim of claims) {
      const isReserved = reservedFor(claim).some((consumer) => consumer.uid === pod.uid);
      if (!isReserved && reservedFor(claim).length >= reservationsMax) return inUse;
      if (allocationOf(claim) !== undefined) {
        data.allocated.push(claim);
        continue;
      }
      const requests = requestsOf(listers, claim);
      if (typeof requests === 'string') return unresolvable(name, requests);
      const unsupported = unsupportedSelector(requests);
      if (unsupported !== undefined)
        return errorStatus(
          name,
          `claim ${claim.metadata.name}: selector ${JSON.stringify(unsupported)} is not understood; only device.driver == "…" is`,
        );
      data.toAllocate.push({ claim, requests });
    }
    if (data.toAllocate.length > 0) data.devicesInUse = devicesInUse(listers);
    state.write(claimsKey, data);
    return undefined;
  }

  filter(state: CycleState, _pod: PodInfo, node: NodeInfo): Status | undefined {
    const data = state.read(claimsKey);
    if (data === undefined) return undefined;
    let isAvailable = true;
    for (const claim of data.allocated) {
      const selector = allocationOf(claim)?.nodeSelector;
      if (selector === undefined || nodeSelectorMatches(compileNodeSelector(selector), node)) continue;
      data.unavailable.add(claim);
      isAvailable = false;
    }
    if (data.toAllocate.length > 0 && allocateAll(state.cycle.snapshot.listers, data.toAllocate, node, data.devicesInUse) === undefined)
      return notAllocatable;
    return isAvailable ? undefined : notAvailable;
  }

  /** A claim allocated where the pod cannot run is given up if nobody else uses it. */
  postFilter(state: CycleState, pod: PodInfo): PostFilterResult {
    const data = state.read(claimsKey);
    if (data === undefined) return { status: missingState };
    if (data.allocated.length + data.toAllocate.length === 0) return { status: nothingToDeallocate };
    const free = [...data.unavailable].find((claim) => reservedFor(claim).every((consumer) => consumer.uid === pod.uid));
    if (free === undefined) return { status: stillNotSchedulable };
    return { status: deallocated, writes: [claimWrite(free, { allocation: null, reservedFor: null })] };
  }

  /** Allocations found for the node, and the pod's reservation on every claim. */
  preBind(state: CycleState, pod: PodInfo, node: NodeInfo): { status: Status | undefined; writes: readonly ObjectWrite[] } {
    const data = state.read(claimsKey);
    if (data === undefined) return { status: undefined, writes: [] };
    const allocations = allocateAll(state.cycle.snapshot.listers, data.toAllocate, node, data.devicesInUse);
    if (allocations === undefined) return { status: notAllocatable, writes: [] };
    const writes = allocations.map(({ claim, results, isLocal }) => {
      const nodeSelector = { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node.name] }] }] };
      const allocation = { devices: { results }, ...(isLocal ? { nodeSelector } : {}) };
      return claimWrite(claim, { allocation, reservedFor: withReservation(claim, pod) });
    });
    const reserved = data.allocated.filter((claim) => !reservedFor(claim).some((consumer) => consumer.uid === pod.uid));
    return {
      status: undefined,
      writes: [...writes, ...reserved.map((claim) => claimWrite(claim, { reservedFor: withReservation(claim, pod) }))],
    };
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      on('ResourceClaim', Action.Add | Action.Update, (pod, _old, updated, listers): Hint => {
        if (updated === undefined || updated.metadata.namespace !== pod.namespace) return 'QueueSkip';
        const claims = podResourceClaims(listers, pod);
        return typeof claims === 'string' ? 'QueueSkip' : 'Queue';
      }),
      on('UnscheduledPod', Action.UpdatePodGeneratedResourceClaim, (pod, _old, updated, listers): Hint =>
        updated?.metadata.uid === pod.uid && typeof podResourceClaims(listers, pod) !== 'string' ? 'Queue' : 'QueueSkip',
      ),
      on('Node', Action.Add | Action.UpdateNodeLabel | Action.UpdateNodeTaint),
      on('DeviceClass', Action.Add | Action.Update),
      on('ResourceSlice', Action.Add | Action.Update),
    ];
  }
}

function withReservation(claim: KubeObject, pod: PodInfo): object[] {
  return [...reservedFor(claim), { resource: 'pods', name: pod.name, uid: pod.uid }];
}

function claimWrite(claim: KubeObject, status: object): ObjectWrite {
  return { resource: 'resourceclaims', namespace: claim.metadata.namespace ?? '', name: claim.metadata.name, patch: { status } };
}
