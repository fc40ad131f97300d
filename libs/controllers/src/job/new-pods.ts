import type { Step } from '#libs/control-loop';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { controllerReference } from '../loop/claims';
import {
  failureCount,
  failureCountAnnotation,
  ignoredFailureCount,
  ignoredFailureCountAnnotation,
  indexAnnotation,
  trackingFinalizer,
} from './job-pods';
import { judgeFailure } from './pod-failures';

/** Generated names have so many characters before the drawn ones, at most. */
const baseMax = 58;
const indexVariable = 'JOB_COMPLETION_INDEX';

/** The creation of a Job's pod; the server draws its name. */
export function podCreation(job: KubeObject, step: string, index?: number, replaced?: KubeObject): Step {
  const { template } = job.spec;
  const { labels, annotations, finalizers = [] } = template.metadata ?? {};
  const own = index === undefined ? {} : { [indexAnnotation]: String(index) };
  const notes = { ...annotations, ...own, ...(index === undefined ? {} : failureNotes(job, replaced)) };
  const metadata = {
    generateName: index === undefined ? `${job.metadata.name}-` : indexedBase(job.metadata.name, index),
    namespace: job.metadata.namespace,
    labels: { ...labels, ...own },
    ...(Object.keys(notes).length > 0 ? { annotations: notes } : {}),
    finalizers: finalizers.includes(trackingFinalizer) ? finalizers : [...finalizers, trackingFinalizer],
    ownerReferences: [controllerReference(job, 'batch/v1', 'Job')],
  };
  const spec = index === undefined ? template.spec : indexedSpec(template.spec, `${job.metadata.name}-${index}`);
  const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec } as unknown as KubeObject;
  return { step, request: { verb: 'create', resource: 'pods', namespace: job.metadata.namespace, object } };
}

function indexedBase(job: string, index: number): string {
  const end = `-${index}-`;
  return `${job.slice(0, baseMax - end.length)}${end}`;
}

/** How often the index has failed, where that is limited: counted on from the pod that is replaced. */
function failureNotes(job: KubeObject, replaced: KubeObject | undefined): Record<string, string> {
  if (job.spec?.backoffLimitPerIndex === undefined) return {};
  const counts = replaced !== undefined && judgeFailure(job, replaced).counts;
  const failed = replaced ? failureCount(replaced) + (counts ? 1 : 0) : 0;
  const ignored = replaced ? ignoredFailureCount(replaced) + (counts ? 0 : 1) : 0;
  return { [failureCountAnnotation]: String(failed), ...(ignored > 0 ? { [ignoredFailureCountAnnotation]: String(ignored) } : {}) };
}

function indexedSpec(spec: JsonObject, hostname: string): JsonObject {
  const told = (containers: unknown): unknown =>
    (containers as JsonObject[] | undefined)?.map((container) => {
      const env = (container.env ?? []) as JsonObject[];
      if (env.some(({ name }) => name === indexVariable)) return container;
      const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${indexAnnotation}']` } };
      return { ...container, env: [...env, { name: indexVariable, valueFrom }] };
    });
  const initContainers = spec.initContainers ? { initContainers: told(spec.initContainers) } : {};
  return { ...spec, ...initContainers, containers: told(spec.containers), hostname } as JsonObject;
}

/** Takes the Job's mark off a pod: it is counted, or nobody will count it. */
export function untrack({ metadata: { namespace, name } }: KubeObject): Step {
  const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } };
  return {
    step: `untrack/${name}`,
    request: { verb: 'patch', target: { resource: 'pods', namespace, name }, patchType: 'strategic', patch },
  };
}

export function deletionOf({ metadata: { namespace, name, uid } }: KubeObject): Step {
  const target = { resource: 'pods', namespace, name };
  return { step: `delete/${name}`, request: { verb: 'delete', target, options: { preconditions: { uid } } } };
}
