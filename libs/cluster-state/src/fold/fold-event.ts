import {
  addQuantities,
  applyDelta,
  applyPatch,
  formatQuantity,
  formatTime,
  parseQuantity,
  type DeltaStep,
  type JsonPatch,
  type KubeObject,
  type Quantity,
} from '#libs/kernel';
import { conditionOf, withCondition } from '../conditions';
import { kubeletFolds } from './kubelet-facts';
import { withStatusUpdate } from './status-updated';

/** What a fold needs of an event; a fact not yet recorded has it too. */
export interface FoldableEvent {
  type: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  data: any;
  /** Cluster time, ms since the epoch. */
  time: number;
}

type Fold = (object: KubeObject, event: FoldableEvent) => KubeObject;

function withStatus(object: KubeObject, status: Record<string, unknown>): KubeObject {
  return { ...object, status: { ...object.status, ...status } };
}

/** `observedGeneration` is absent where upstream's writer names none: bindings, and evictions through the API. */
type PodCondition = Parameters<typeof withCondition>[1];

function withPodCondition(object: KubeObject, event: FoldableEvent, next: PodCondition): KubeObject {
  const old = conditionOf(object, next.type);
  // A condition that says the same again is no change, whatever generation it was seen at (upstream `UpdatePodCondition`).
  if (old && old.status === next.status && (old.reason ?? '') === (next.reason ?? '') && (old.message ?? '') === (next.message ?? ''))
    return object;
  return withStatus(object, { conditions: withCondition(object.status?.conditions, next, formatTime(event.time)) });
}

function updated(object: KubeObject, { data }: FoldableEvent): KubeObject {
  if (data.changes) return applyDelta(object, data.changes as DeltaStep[]);
  return applyPatch(object, (data.patch ?? []) as JsonPatch);
}

function statusUpdated(object: KubeObject, event: FoldableEvent): KubeObject {
  return event.data.changes ? updated(object, event) : withStatusUpdate(object, event.data, event.time);
}

function deletionRequested(object: KubeObject, event: FoldableEvent): KubeObject {
  const { deletionTimestamp, gracePeriodSeconds, generation } = event.data;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      ...(generation === undefined ? {} : { generation }),
      deletionTimestamp,
      ...(gracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds: gracePeriodSeconds }),
    },
  };
}

function podScheduled(object: KubeObject, event: FoldableEvent): KubeObject {
  const annotations = event.data.annotations as Record<string, string> | undefined;
  const bound = withPodCondition(object, event, { type: 'PodScheduled', status: 'True' });
  return {
    ...bound,
    metadata: annotations ? { ...bound.metadata, annotations: { ...bound.metadata.annotations, ...annotations } } : bound.metadata,
    spec: { ...bound.spec, nodeName: event.data.node },
  };
}

function nominationCleared(object: KubeObject): KubeObject {
  const { nominatedNodeName: _, ...status } = object.status ?? {};
  return { ...object, status };
}

/** What is used grows by the charges, of what the quota limits. */
function quotaCharged(object: KubeObject, { data }: FoldableEvent): KubeObject {
  const used: Record<string, string> = { ...(object.status?.used as Record<string, string> | undefined) };
  for (const { amounts } of data.charges as { amounts: Record<string, string> }[])
    for (const [name, amount] of Object.entries(amounts))
      used[name] = formatQuantity(addQuantities(quantity(used[name]), quantity(amount)));
  return withStatus(object, { used });
}

function quantity(text: string | undefined): Quantity {
  return parseQuantity(text) ?? { nano: 0n, format: 'DecimalSI' };
}

const folds: Record<string, Fold> = {
  Updated: updated,
  StatusUpdated: statusUpdated,
  DeletionRequested: deletionRequested,
  QuotaCharged: quotaCharged,
  PodScheduled: podScheduled,
  PodSchedulingFailed: (object, event) =>
    withPodCondition(object, event, {
      type: 'PodScheduled',
      status: 'False',
      reason: event.data.reason,
      message: event.data.message,
      observedGeneration: object.metadata.generation,
    }),
  PodNominated: (object, event) => withStatus(object, { nominatedNodeName: event.data.node }),
  PodNominationCleared: nominationCleared,
  PodPreempted: (object, event) =>
    withPodCondition(object, event, {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: `${event.data.schedulerName}: preempting to accommodate a higher priority pod`,
      observedGeneration: object.metadata.generation,
    }),
  PodDisruptionTargeted: (object, event) =>
    withPodCondition(object, event, {
      type: 'DisruptionTarget',
      status: 'True',
      reason: event.data.reason,
      message: event.data.message,
      observedGeneration: event.data.observedGeneration,
    }),
};

/**
 * One event folded into its object. `undefined` before: it did not exist; after: it is gone. Types without a fold of their own
 * are facts whose effect stands beside them in the same append. Trusts what the store accepted: no validation here.
 */
export function foldEvent(object: KubeObject | undefined, event: FoldableEvent): KubeObject | undefined {
  if (event.type === 'Created') return event.data.object as KubeObject;
  if (event.type === 'Deleted') return undefined;
  if (object === undefined) return undefined;
  const fold = folds[event.type] ?? kubeletFolds[event.type];
  return fold ? fold(object, event) : object;
}

/** Whether events of this type say nothing but what they change of the object: where that is nothing, they need not be. */
export function hasFold(type: string): boolean {
  return type === 'Created' || type === 'Deleted' || folds[type] !== undefined;
}

/** The object as the API shows it at this position: `resourceVersion` is the position of the append's last event. */
export function atVersion(object: KubeObject, position: number): KubeObject {
  const metadata = object.metadata;
  return { ...object, metadata: { ...metadata, resourceVersion: String(position) } };
}
