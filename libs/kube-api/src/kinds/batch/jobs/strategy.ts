import type { KubeObject } from '#libs/kernel';
import type { Loose } from '../../../validation/values';
import type { CreateContext } from '../../../strategy/context';
import type { KindStrategy } from '../../behaviour';

/** Labels by which a job knows its pods: its uid and its name, each under the name of today and the one of old. */
export const uidLabels = ['controller-uid', 'batch.kubernetes.io/controller-uid'] as const;
export const nameLabels = ['job-name', 'batch.kubernetes.io/job-name'] as const;
const selected = 'batch.kubernetes.io/controller-uid';

/** Those that are not there already; a user's own with another value are refused by validation. */
function withGenerated(labels: Record<string, string> | undefined, { uid = '', name }: KubeObject['metadata']): Record<string, string> {
  const generated = [...nameLabels.map((key) => [key, name] as const), ...uidLabels.map((key) => [key, uid] as const)];
  return { ...Object.fromEntries(generated), ...labels };
}

const isEmpty = (labels: object | null | undefined): boolean => Object.keys(labels ?? {}).length === 0;

/**
 * A selector that finds the pods of this job and no others, unless the user has seen to that himself. A job without labels of its own
 * shares those of its template, the generated ones among them.
 */
function withSelector(job: KubeObject, { sent = job }: CreateContext): KubeObject {
  const spec: Loose = job.spec ?? {};
  if (spec.manualSelector === true) return job;
  const { template = {}, selector } = spec;
  const labels = withGenerated(template.metadata?.labels, job.metadata);
  const matchLabels = { [selected]: job.metadata.uid, ...selector?.matchLabels };
  const isShared = isEmpty(sent.metadata.labels) && !isEmpty(sent.spec?.template?.metadata?.labels);
  return {
    ...job,
    metadata: isShared ? { ...job.metadata, labels } : job.metadata,
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** Reading fills in defaults again, and by now every template has labels. */
function readBack(job: KubeObject): KubeObject {
  const labels: Record<string, string> | undefined = job.spec?.template?.metadata?.labels;
  return isEmpty(labels) || !isEmpty(job.metadata.labels) ? job : { ...job, metadata: { ...job.metadata, labels } };
}

export const jobStrategy: KindStrategy = {
  readBack,
  create: (job, context) => ({ ...withSelector(job, context), status: {} }),
};
