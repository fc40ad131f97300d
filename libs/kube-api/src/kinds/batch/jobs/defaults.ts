import type { JsonObject } from '#libs/kernel';
import { listIn, objectIn, setAbsent, setEmpty } from '../../../defaults/draft';
import { entriesOf } from '../../../validation/values';
import { defaultPodTemplate } from '../../core/pods/defaults';

/** A job that may fail as often as a number can say. */
const backoffLimitMax = 2147483647;

export function setJobDefaults(job: JsonObject): void {
  const spec = objectIn(job, 'spec') ?? {};
  job['spec'] = spec;
  if (isAbsent(spec['completions']) && isAbsent(spec['parallelism'])) spec['completions'] = 1;
  setAbsent(spec, 'parallelism', 1);
  setAbsent(spec, 'backoffLimit', isAbsent(spec['backoffLimitPerIndex']) ? 6 : backoffLimitMax);
  setAbsent(spec, 'completionMode', 'NonIndexed');
  setAbsent(spec, 'suspend', false);
  setAbsent(spec, 'podReplacementPolicy', isAbsent(spec['podFailurePolicy']) ? 'TerminatingOrFailed' : 'Failed');
  setAbsent(spec, 'manualSelector', false);
  defaultJobSpec(spec);
  labelLikeTemplate(job, spec);
}

/** What the spec of a job gets wherever it stands, in a CronJob too. */
export function defaultJobSpec(spec: JsonObject): void {
  for (const rule of listIn(objectIn(spec, 'podFailurePolicy') ?? {}, 'rules')) {
    for (const pattern of listIn(rule, 'onPodConditions')) setEmpty(pattern, 'status', 'True');
  }
  defaultPodTemplate(spec);
}

/** A job without labels of its own has those of its pods. */
function labelLikeTemplate(job: JsonObject, spec: JsonObject): void {
  const labels = objectIn(objectIn(objectIn(spec, 'template') ?? {}, 'metadata') ?? {}, 'labels');
  const metadata = objectIn(job, 'metadata') ?? {};
  if (!labels || entriesOf(metadata['labels']).length > 0) return;
  job['metadata'] = { ...metadata, labels: { ...labels } };
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
