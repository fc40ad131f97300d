import type { Reconciliation, Step } from '#libs/control-loop';
import type { Fact } from '#libs/events';
import { jsonEqual, type KubeObject } from '#libs/kernel';
import { statusWrite } from '../loop/report';
import { sizeAnnotations } from './annotations';
import { revisionAnnotation } from './replicasets-of';
import type { DeploymentStatus } from './deployment-status';
import { replicasOf } from './fenceposts';
import type { Sizes } from './sizes';

export const deployments = 'deployments.apps';
export const replicaSets = 'replicasets.apps';

/** Steps that bring ReplicaSets to new sizes; every one touched learns what the Deployment wants now. */
export function resizeSteps(deployment: KubeObject, sizes: Sizes): Step[] {
  const steps: Step[] = [];
  for (const [replicaSet, size] of sizes) {
    const annotations = { ...replicaSet.metadata.annotations, ...sizeAnnotations(deployment) };
    if (replicasOf(replicaSet) === size && jsonEqual(annotations, replicaSet.metadata.annotations)) continue;
    steps.push(
      updateStep('resize', {
        ...replicaSet,
        metadata: { ...replicaSet.metadata, annotations },
        spec: { ...replicaSet.spec, replicas: size },
      }),
    );
  }
  return steps;
}

/** A PUT of a ReplicaSet; its resourceVersion is the one that was looked at. */
export function updateStep(step: string, replicaSet: KubeObject): Step {
  const { namespace, name } = replicaSet.metadata;
  return { step: `${step}/${name}`, request: { verb: 'update', target: { resource: replicaSets, namespace, name }, object: replicaSet } };
}

/** The Deployment's status, when it differs; with the revision, which travels with it. */
export function statusSteps(deployment: KubeObject, status: DeploymentStatus, revision?: string): Step[] {
  const present = deployment.metadata.annotations;
  const annotations =
    revision === undefined || present?.[revisionAnnotation] === revision ? undefined : { ...present, [revisionAnnotation]: revision };
  if (!annotations && jsonEqual(deployment.status ?? {}, status)) return [];
  return [{ step: 'status', request: statusWrite(deployments, deployment, { status, annotations }) }];
}

/** What a look at a Deployment leads to. */
export function planOf(steps: Step[], records: Fact[] = [], rest: Partial<Reconciliation> = {}): Reconciliation {
  return { ...rest, steps, records };
}
