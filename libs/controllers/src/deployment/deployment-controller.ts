import { isTerminal, type ClusterState, type ObjectChange } from '#libs/cluster-state';
import { ofNoObject, type DecisionContext, type Reconciler, type Reconciliation, type Step, type StepFailure } from '#libs/control-loop';
import { fact } from '#libs/events';
import { controllerOf, keyOf, objectKey, type KubeObject, type ObjectKey } from '#libs/kernel';
import { ClaimIndex } from '../loop/claim-index';
import { claim, controllerReference, dependentsOf } from '../loop/claims';
import { controllingOwner, ownersOfChange } from '../loop/controlling-owner';
import { Deeds, type Deed } from '../loop/deeds';
import { desiredReplicasAnnotation, numberIn } from './annotations';
import {
  conditionIn,
  countedStatus,
  isComplete,
  progressCheckAt,
  progressDeadlineMs,
  rolloutStatus,
  statusOf,
  withCondition,
} from './deployment-status';
import { replicasOf } from './fenceposts';
import { component, createReplicaSet, syncRevision } from './new-replicaset';
import { deployments, planOf, replicaSets, resizeSteps, statusSteps } from './plan';
import { active, byRevision, counted, generationsOf, type Generations } from './replicasets-of';
import { currentSize, scaledSizes, shrunkSizes, type Sizes } from './sizes';

const ownerKind = { resource: deployments, kind: 'Deployment' };

interface DeploymentIndex {
  claims: ClaimIndex;
  deeds: Deeds;
}

/** Rolls a Deployment's template out over ReplicaSets (upstream deployment controller). Subjects: `NAMESPACE/NAME`. */
export const deploymentController: Reconciler<DeploymentIndex> = {
  name: component,
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follows: [deployments, replicaSets, 'pods', ofNoObject],
  index: (cluster) => ({ claims: new ClaimIndex(cluster, deployments, replicaSets), deeds: new Deeds(component, deedOf) }),
  allSubjects: (_index, cluster) => cluster.table(deployments).keys(),

  *follow({ claims, deeds }, append, cluster): Iterable<string> {
    const told = deeds.follow(append);
    if (told) yield told;
    const { change } = append;
    if (!change) return;
    yield* claims.follow(change);
    if (change.resource === deployments) {
      if (change.type !== 'DELETED') yield change.key;
    } else if (change.resource === replicaSets) yield* ownersOfChange(cluster, ownerKind, change);
    else if (change.resource === 'pods' && change.type === 'DELETED') yield* waitingForPod(change, cluster);
  },

  reconcile(cluster, index, key, context, failure) {
    const deployment = cluster.byKey(deployments, key);
    if (!deployment) return undefined;
    const found = syncDeployment(cluster, index.claims, key, deployment, context, failure);
    const untold = index.deeds.of(key);
    return untold.length === 0 ? found : { ...found, steps: found.steps, records: [...untold, ...(found.records ?? [])] };
  },
};

/** A ReplicaSet sized by this controller. */
function deedOf({ resource, type, namespace, before, object }: ObjectChange): Deed | undefined {
  const owner = resource === replicaSets ? controllerOf(object) : undefined;
  if (!owner || type === 'DELETED') return undefined;
  const was = before ? replicasOf(before) : 0;
  const is = replicasOf(object);
  if (was === is) return undefined;
  const message = `Scaled ${is > was ? 'up' : 'down'} replica set ${object.metadata.name} from ${was} to ${is}`;
  const data = {
    resource: deployments,
    namespace,
    name: owner.name,
    uid: owner.uid,
    type: 'Normal',
    reason: 'ScalingReplicaSet',
    message,
    component,
  };
  return { subject: objectKey(namespace, owner.name), report: fact('Reported', data) };
}

/** A Deployment that recreates waits for its last pod to go. */
function* waitingForPod({ namespace, object }: ObjectChange, cluster: ClusterState): Iterable<ObjectKey> {
  const reference = controllerOf(object);
  const replicaSet = reference?.kind === 'ReplicaSet' ? cluster.get(replicaSets, namespace, reference.name) : undefined;
  const deployment = replicaSet && controllingOwner(cluster, ownerKind, replicaSet);
  if (deployment?.spec?.strategy?.type === 'Recreate') yield keyOf(deployment);
}

function syncDeployment(
  cluster: ClusterState,
  index: ClaimIndex,
  key: ObjectKey,
  deployment: KubeObject,
  { now }: DecisionContext,
  failure: StepFailure | undefined,
): Reconciliation {
  const ref = controllerReference(deployment, 'apps/v1', 'Deployment');
  const claims = claim(cluster, index, { key, object: deployment, ref }, replicaSets, () => true);
  if (claims.steps.length > 0) return planOf(claims.steps);
  const generations = generationsOf(deployment, claims.owned);
  if (deployment.metadata.deletionTimestamp)
    return syncRevision(deployment, generations, now) ?? planOf(statusOnly(deployment, generations, now));
  const paused = pausedCondition(deployment, now);
  if (paused.length > 0) return planOf(paused);
  const revised = syncRevision(deployment, generations, now);
  if (revised) return revised;
  if (deployment.spec?.paused || isScaling(deployment, generations)) return syncScale(deployment, generations, now);
  const roll = deployment.spec?.strategy?.type === 'Recreate' ? recreate : rollingUpdate;
  return roll(cluster, deployment, generations, now, failure);
}

/** Pausing and resuming show as condition Progressing=Unknown, unless the rollout has already failed. */
function pausedCondition(deployment: KubeObject, now: number): Step[] {
  if (progressDeadlineMs(deployment) === undefined) return [];
  const status = statusOf(deployment);
  const reason = conditionIn(status, 'Progressing')?.reason;
  if (reason === 'ProgressDeadlineExceeded') return [];
  const type = 'Progressing';
  const isPaused = deployment.spec?.paused === true;
  if (isPaused === (reason === 'DeploymentPaused')) return [];
  const next = isPaused
    ? { type, status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' }
    : { type, status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' };
  return statusSteps(deployment, withCondition(status, next, now));
}

/** A ReplicaSet was last sized for another number of replicas than the Deployment wants now. */
function isScaling(deployment: KubeObject, { current, old }: Generations): boolean {
  return active([...old, current]).some((replicaSet) => {
    const desired = numberIn(replicaSet, desiredReplicasAnnotation);
    return desired !== undefined && desired !== replicasOf(deployment);
  });
}

function allOf({ current, old }: Generations): KubeObject[] {
  return current ? [...old, current] : [...old];
}

function statusOnly(deployment: KubeObject, generations: Generations, now: number): Step[] {
  return statusSteps(deployment, countedStatus(deployment, allOf(generations), generations.current, now));
}

function syncScale(deployment: KubeObject, generations: Generations, now: number): Reconciliation {
  const resized = resizeSteps(deployment, scaledSizes(deployment, generations));
  const cleaned = deployment.spec?.paused ? cleanupSteps(deployment, generations.old) : [];
  return planOf([...resized, ...cleaned, ...statusOnly(deployment, generations, now)]);
}

function rollout(deployment: KubeObject, generations: Generations, steps: Step[], now: number): Reconciliation {
  const status = rolloutStatus(deployment, allOf(generations), generations.current, now);
  const written = statusSteps(deployment, status);
  return planOf([...steps, ...written], [], written.length > 0 ? {} : { wakeAt: progressCheckAt(deployment, status) });
}

function rollingUpdate(
  cluster: ClusterState,
  deployment: KubeObject,
  generations: Generations,
  now: number,
  failure: StepFailure | undefined,
): Reconciliation {
  const { current, old } = generations;
  if (!current) return createReplicaSet(cluster, deployment, old, now, failure);
  const size = replicasOf(current);
  const wanted = replicasOf(deployment);
  const next = size === wanted ? size : size > wanted ? wanted : currentSize(deployment, allOf(generations), size);
  if (next !== size) return rollout(deployment, generations, resizeSteps(deployment, new Map([[current, next]])), now);
  const sizes = shrunkSizes(deployment, { current, old });
  if (!sizes) return planOf([]);
  const shrunk = resizeSteps(deployment, sizes);
  if (shrunk.length > 0) return rollout(deployment, generations, shrunk, now);
  const cleaned = isComplete(deployment, statusOf(deployment)) ? cleanupSteps(deployment, old) : [];
  return rollout(deployment, generations, cleaned, now);
}

function recreate(
  cluster: ClusterState,
  deployment: KubeObject,
  generations: Generations,
  now: number,
  failure: StepFailure | undefined,
): Reconciliation {
  const { current, old } = generations;
  const running: Sizes = new Map(active(old).map((replicaSet) => [replicaSet, 0]));
  if (running.size > 0) return rollout(deployment, generations, resizeSteps(deployment, running), now);
  if (hasOldPods(cluster, old)) return rollout(deployment, generations, [], now);
  if (!current) return createReplicaSet(cluster, deployment, old, now, failure);
  const resized =
    replicasOf(current) === replicasOf(deployment) ? [] : resizeSteps(deployment, new Map([[current, replicasOf(deployment)]]));
  const cleaned = isComplete(deployment, statusOf(deployment)) ? cleanupSteps(deployment, old) : [];
  return rollout(deployment, generations, [...resized, ...cleaned], now);
}

/** Old pods that have not ended; terminating ones count. */
function hasOldPods(cluster: ClusterState, old: readonly KubeObject[]): boolean {
  if (counted(old, 'replicas') > 0) return true;
  return old.some((replicaSet) => dependentsOf(cluster, replicaSet, 'pods').some((pod) => !isTerminal(pod)));
}

/** A history limit of this many ReplicaSets is none. */
const unlimited = 2_147_483_647;

/** Old ReplicaSets beyond the history limit go, the oldest revisions first, as soon as they have no pods. */
function cleanupSteps(deployment: KubeObject, old: readonly KubeObject[]): Step[] {
  const limit = deployment.spec?.revisionHistoryLimit as number | undefined;
  if (limit === undefined || limit === unlimited) return [];
  const cleanable = old.filter(({ metadata }) => !metadata.deletionTimestamp).sort(byRevision);
  return cleanable
    .slice(0, Math.max(0, cleanable.length - limit))
    .filter((replicaSet) => {
      const { status, metadata } = replicaSet;
      return (
        (status?.replicas ?? 0) === 0 && replicasOf(replicaSet) === 0 && (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
      );
    })
    .map(({ metadata: { namespace, name, uid } }): Step => {
      return {
        step: `delete/${name}`,
        request: { verb: 'delete', target: { resource: replicaSets, namespace, name }, options: { preconditions: { uid } } },
      };
    });
}
