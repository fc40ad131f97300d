import type { JsonObject, KubeObject } from '#libs/kernel';
import { objectIn, setAbsent, setEmpty } from '../../../defaults/draft';
import { age, nameOf, none, rowOf } from '../../../printing/cell';
import { ageOf } from '../../../printing/age';
import { formatObjectSelector } from '../../../selectors';
import { listOf } from '../../../validation/values';
import { containerCells } from '../../apps/workload';
import type { KindDescription } from '../../behaviour';
import { warnAboutName } from '../../core/pods/warnings';
import { defaultJobSpec } from '../jobs/defaults';
import { warnAboutJobSpec } from '../jobs/warnings';
import { validateCronJob, validateCronJobUpdate } from './validation';

function setCronJobDefaults(cronJob: JsonObject): void {
  const spec = objectIn(cronJob, 'spec') ?? {};
  cronJob['spec'] = spec;
  setEmpty(spec, 'concurrencyPolicy', 'Allow');
  setAbsent(spec, 'suspend', false);
  setAbsent(spec, 'successfulJobsHistoryLimit', 3);
  setAbsent(spec, 'failedJobsHistoryLimit', 1);
  const jobSpec = objectIn(objectIn(spec, 'jobTemplate') ?? {}, 'spec');
  if (jobSpec) defaultJobSpec(jobSpec);
}

const zoneInSchedule =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';

function warnAboutCronJob(cronJob: KubeObject, old: KubeObject | undefined, warnings: string[]): void {
  if (!old) warnAboutName(cronJob.metadata.name, 'Pod names and hostnames', warnings);
  if (!old || old.metadata.generation !== cronJob.metadata.generation) {
    warnAboutJobSpec(cronJob.spec?.jobTemplate?.spec ?? {}, 'spec.jobTemplate.spec', warnings);
  }
  if (old && cronJob.spec?.schedule?.includes('TZ')) warnings.push(zoneInSchedule);
}

const row = rowOf((cronJob, now) => {
  const { schedule = '', timeZone = none, suspend, jobTemplate } = cronJob.spec ?? {};
  const { active, lastScheduleTime } = cronJob.status ?? {};
  return [
    nameOf(cronJob),
    schedule,
    timeZone,
    suspend === undefined ? '<unset>' : suspend ? 'True' : 'False',
    listOf(active).length,
    lastScheduleTime ? ageOf(lastScheduleTime, now) : none,
    age(cronJob, now),
    ...containerCells(jobTemplate?.spec?.template),
    formatObjectSelector(jobTemplate?.spec?.selector),
  ];
});

export const cronjobs: KindDescription = {
  name: 'cronjobs.batch',
  served: true,
  generation: 'managed',
  formerVersions: ['batch/v1beta1'],
  setDefaults: setCronJobDefaults,
  // Nothing of what is written through /status is looked at.
  validation: { create: validateCronJob, update: validateCronJobUpdate, subresources: { status: () => undefined } },
  warn: warnAboutCronJob,
  row,
};
