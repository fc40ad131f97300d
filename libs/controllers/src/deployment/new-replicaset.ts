import type { ClusterState } from '#libs/cluster-state';
import type { Reconciliation, Step, StepFailure } from '#libs/control-loop';
import { jsonEqual, type KubeObject } from '#libs/kernel';
import { controllerReference } from '../loop/claims';
import { report } from '../loop/report';
import { currentAnnotations, sizeAnnotations } from './annotations';
import { conditionIn, progressDeadlineMs, statusOf, withCondition, type DeploymentStatus } from './deployment-status';
import { deployments, planOf, replicaSets, statusSteps, updateStep } from './plan';
import { highestRevision, revisionAnnotation, type Generations } from './replicasets-of';
import { currentSize } from './sizes';
import { hashLabel, templateHash } from './template-hash';

export const component = 'deployment-controller';

/** Condition Progressing from an event of the rollout; none where there is no deadline to progress against. */
function withProgressing(
  deployment: KubeObject,
  status: DeploymentStatus,
  value: string,
  reason: string,
  message: string,
  now: number,
): DeploymentStatus {
  if (progressDeadlineMs(deployment) === undefined) return status;
  return withCondition(status, { type: 'Progressing', status: value, reason, message }, now);
}

/**
 * Brings annotations and revision of the present ReplicaSet, and the Deployment's revision, up to date (upstream `getNewReplicaSet` for
 * one that exists). Undefined when nothing is to be done; otherwise it is done alone and the rest waits for the next look.
 */
export function syncRevision(deployment: KubeObject, { current, old }: Generations, now: number): Reconciliation | undefined {
  if (!current) return undefined;
  const annotations = currentAnnotations(deployment, current, highestRevision(old) + 1);
  const minReadySeconds = deployment.spec?.minReadySeconds as number | undefined;
  if (!jsonEqual(annotations, current.metadata.annotations ?? {}) || (current.spec?.minReadySeconds ?? 0) !== (minReadySeconds ?? 0)) {
    const spec = { ...current.spec, minReadySeconds };
    return planOf([updateStep('annotate', { ...current, metadata: { ...current.metadata, annotations }, spec })]);
  }
  const present = conditionIn(statusOf(deployment), 'Progressing');
  const name = current.metadata.name;
  let status = statusOf(deployment);
  if (!present) status = withProgressing(deployment, status, 'True', 'FoundNewReplicaSet', `Found new replica set "${name}"`, now);
  else if (present.reason === 'ReplicaSetCreateError') status = withProgressing(deployment, status, ...created(name), now);
  const steps = statusSteps(deployment, status, annotations[revisionAnnotation]);
  return steps.length > 0 ? planOf(steps) : undefined;
}

function created(name: string): [status: string, reason: string, message: string] {
  return ['True', 'NewReplicaSetCreated', `Created new replica set "${name}"`];
}

/** Creates the ReplicaSet of the present template, then notes revision and progress on the Deployment. */
export function createReplicaSet(
  cluster: ClusterState,
  deployment: KubeObject,
  old: readonly KubeObject[],
  now: number,
  failure: StepFailure | undefined,
): Reconciliation {
  const { namespace } = deployment.metadata;
  // Nothing can be created there any more, and nobody is told.
  if (cluster.get('namespaces', undefined, namespace as string)?.metadata.deletionTimestamp) return planOf([]);
  const revision = highestRevision(old) + 1;
  const replicaSet = newReplicaSet(deployment, old, revision);
  const { name } = replicaSet.metadata;
  const before = statusOf(deployment);
  if (cluster.get(replicaSets, namespace, name)) {
    // Somebody else has the name: another hash next time.
    return planOf(statusSteps(deployment, { ...before, collisionCount: (before.collisionCount ?? 0) + 1 }));
  }
  const creation: Step = { step: 'create', request: { verb: 'create', resource: replicaSets, namespace, object: replicaSet } };
  if (failure?.step === 'create') return failedBefore(deployment, creation, name, failure.message, now);
  const status = withProgressing(deployment, before, ...created(name), now);
  return planOf([creation, ...statusSteps(deployment, status, String(revision))], [], { sequential: true });
}

/** The last try failed: that is told, and it is tried again. */
function failedBefore(deployment: KubeObject, creation: Step, name: string, text: string, now: number): Reconciliation {
  const message = `Failed to create new replica set "${name}": ${text}`;
  const reason = 'ReplicaSetCreateError';
  const status = withProgressing(deployment, statusOf(deployment), 'False', reason, message, now);
  return planOf(
    [...statusSteps(deployment, status), creation],
    [report(component, deployments, deployment, { type: 'Warning', reason, message })],
  );
}

function newReplicaSet(deployment: KubeObject, old: readonly KubeObject[], revision: number): KubeObject {
  const { selector, template, minReadySeconds } = deployment.spec;
  const hash = templateHash(template, statusOf(deployment).collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const metadata = {
    name: `${deployment.metadata.name}-${hash}`,
    namespace: deployment.metadata.namespace,
    labels,
    annotations: { ...currentAnnotations(deployment, undefined, revision), ...sizeAnnotations(deployment) },
    ownerReferences: [controllerReference(deployment, 'apps/v1', 'Deployment')],
  };
  const spec = {
    replicas: currentSize(deployment, old, 0),
    ...(minReadySeconds ? { minReadySeconds } : {}),
    selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
    template: { ...template, metadata: { ...template.metadata, labels } },
  };
  return { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec } as unknown as KubeObject;
}
