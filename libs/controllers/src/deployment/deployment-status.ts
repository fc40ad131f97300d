import { formatTime, parseTime, type KubeObject } from '#libs/kernel';
import { maxUnavailable, replicasOf } from './fenceposts';
import { counted, wantedPods } from './replicasets-of';

export interface DeploymentCondition {
  type: string;
  status: string;
  lastUpdateTime?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** Counts that are 0 are left out, as the API shows it. */
export interface DeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  conditions?: DeploymentCondition[];
  collisionCount?: number;
}

type NewCondition = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>;

export function statusOf(deployment: KubeObject): DeploymentStatus {
  return (deployment.status ?? {}) as DeploymentStatus;
}

export function conditionIn(status: DeploymentStatus, type: string): DeploymentCondition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

/** The same status and reason leave a condition as it is; the same status leaves its transition time. It moves to the end. */
export function withCondition(status: DeploymentStatus, next: NewCondition, now: number): DeploymentStatus {
  const time = formatTime(now);
  return withTimedCondition(status, { ...next, lastUpdateTime: time, lastTransitionTime: time });
}

export function withTimedCondition(status: DeploymentStatus, next: DeploymentCondition): DeploymentStatus {
  const old = conditionIn(status, next.type);
  if (old && old.status === next.status && old.reason === next.reason) return status;
  const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : next.lastTransitionTime;
  const { type, status: value, lastUpdateTime, reason, message } = next;
  const condition = { type, status: value, lastUpdateTime, lastTransitionTime, reason, message };
  return { ...status, conditions: [...(status.conditions ?? []).filter((other) => other.type !== type), condition] };
}

export function withoutCondition(status: DeploymentStatus, type: string): DeploymentStatus {
  if (!conditionIn(status, type)) return status;
  const conditions = status.conditions?.filter((condition) => condition.type !== type);
  const { conditions: _, ...rest } = status;
  return conditions?.length ? { ...rest, conditions } : rest;
}

/** Status as the ReplicaSets have it (upstream `calculateStatus`), with condition Available. */
export function countedStatus(
  deployment: KubeObject,
  replicaSets: readonly KubeObject[],
  current: KubeObject | undefined,
  now: number,
): DeploymentStatus {
  const available = counted(replicaSets, 'availableReplicas');
  const { conditions, collisionCount } = statusOf(deployment);
  const counts = {
    replicas: counted(replicaSets, 'replicas'),
    updatedReplicas: current ? counted([current], 'replicas') : 0,
    readyReplicas: counted(replicaSets, 'readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, wantedPods(replicaSets) - available),
  };
  const status: DeploymentStatus = {
    ...(deployment.metadata.generation ? { observedGeneration: deployment.metadata.generation } : {}),
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)),
    ...(conditions ? { conditions } : {}),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
  const enough = available >= replicasOf(deployment) - maxUnavailable(deployment);
  return withCondition(status, enough ? enoughAvailable : tooFewAvailable, now);
}

const enoughAvailable = {
  type: 'Available',
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
};
const tooFewAvailable = {
  type: 'Available',
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
};

/** All wanted pods are of the present template and available, and no others are there. */
export function isComplete(deployment: KubeObject, status: DeploymentStatus): boolean {
  const wanted = replicasOf(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  const all = updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted;
  return all && observedGeneration >= (deployment.metadata.generation ?? 0);
}

/** Anything has got better since the status was written. */
function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const outdated = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    outdated(after) < outdated(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

/** A deadline of this many seconds is none. */
const neverSeconds = 2_147_483_647;

/** How long a rollout may show no progress, ms; undefined when for ever. */
export function progressDeadlineMs(deployment: KubeObject): number | undefined {
  const seconds = deployment.spec?.progressDeadlineSeconds as number | undefined;
  return seconds === undefined || seconds === neverSeconds ? undefined : seconds * 1000;
}

/** Status during a rollout: condition Progressing, and the ReplicaSets' failure (upstream `syncRolloutStatus`). */
export function rolloutStatus(
  deployment: KubeObject,
  replicaSets: readonly KubeObject[],
  current: KubeObject | undefined,
  now: number,
): DeploymentStatus {
  let status = countedStatus(deployment, replicaSets, current, now);
  const before = statusOf(deployment);
  const progressing = conditionIn(before, 'Progressing');
  if (progressDeadlineMs(deployment) === undefined) status = withoutCondition(status, 'Progressing');
  else {
    const settled = (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && progressing?.reason === 'NewReplicaSetAvailable';
    if (!settled) status = withProgress(deployment, before, status, current, now);
  }
  const failure = replicaFailure(replicaSets, current);
  return failure ? withTimedCondition(status, failure) : withoutCondition(status, 'ReplicaFailure');
}

function withProgress(
  deployment: KubeObject,
  before: DeploymentStatus,
  status: DeploymentStatus,
  current: KubeObject | undefined,
  now: number,
): DeploymentStatus {
  const subject = current ? `ReplicaSet "${current.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  const type = 'Progressing';
  if (isComplete(deployment, status)) {
    return withCondition(
      status,
      { type, status: 'True', reason: 'NewReplicaSetAvailable', message: `${subject} has successfully progressed.` },
      now,
    );
  }
  if (hasProgressed(before, status)) {
    // Progress is noted even where the condition says so already: its update time is what the deadline counts from.
    const old = conditionIn(before, type);
    const time = formatTime(now);
    const lastTransitionTime = old?.status === 'True' ? old.lastTransitionTime : time;
    const progress = {
      type,
      status: 'True',
      lastUpdateTime: time,
      lastTransitionTime,
      reason: 'ReplicaSetUpdated',
      message: `${subject} is progressing.`,
    };
    return withTimedCondition(withoutCondition(status, type), progress);
  }
  if (hasTimedOut(deployment, status, now)) {
    const reason = 'ProgressDeadlineExceeded';
    return withCondition(status, { type, status: 'False', reason, message: `${subject} has timed out progressing.` }, now);
  }
  return status;
}

function hasTimedOut(deployment: KubeObject, status: DeploymentStatus, now: number): boolean {
  const condition = conditionIn(status, 'Progressing');
  if (!condition || condition.reason === 'NewReplicaSetAvailable') return false;
  if (condition.reason === 'ProgressDeadlineExceeded') return true;
  return (parseTime(condition.lastUpdateTime) ?? now) + (progressDeadlineMs(deployment) ?? 0) < now;
}

/** When a rollout that stands still is to be looked at again, ms since the epoch (upstream `requeueStuckDeployment`). */
export function progressCheckAt(deployment: KubeObject, status: DeploymentStatus): number | undefined {
  const deadline = progressDeadlineMs(deployment);
  const condition = conditionIn(status, 'Progressing');
  if (deadline === undefined || !condition || isComplete(deployment, status)) return undefined;
  // What has timed out stays so, and a rollout that once succeeded has no deadline any more: time alone changes neither.
  if (condition.reason === 'ProgressDeadlineExceeded' || condition.reason === 'NewReplicaSetAvailable') return undefined;
  return (parseTime(condition.lastUpdateTime) ?? 0) + deadline + 1_000;
}

/** The present ReplicaSet's failure, or else any other's, as a condition of the Deployment. */
function replicaFailure(replicaSets: readonly KubeObject[], current: KubeObject | undefined): DeploymentCondition | undefined {
  for (const replicaSet of current ? [current, ...replicaSets] : replicaSets) {
    const conditions = replicaSet.status?.conditions as DeploymentCondition[] | undefined;
    const failure = conditions?.find(({ type }) => type === 'ReplicaFailure');
    if (failure) return { ...failure, lastUpdateTime: failure.lastTransitionTime };
  }
  return undefined;
}
