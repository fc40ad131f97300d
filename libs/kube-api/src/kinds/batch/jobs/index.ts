import { fieldsOfKind, nameField, namespaceField } from '../../../selectors/kind-fields';
import type { KindDescription } from '../../behaviour';
import { warnAboutName } from '../../core/pods/warnings';
import { setJobDefaults } from './defaults';
import { jobRow } from './row';
import { validateJobStatus } from './status-validation';
import { jobStrategy } from './strategy';
import { validateJobCreate, validateJobUpdate } from './validation';
import { warnAboutJobSpec } from './warnings';

export const jobs: KindDescription = {
  name: 'jobs.batch',
  served: true,
  generation: 'managed',
  dependants: 'orphaned',
  warnOfOrphans:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  fields: fieldsOfKind('Job', nameField, namespaceField, ['status.successful', (job) => String(job.status?.succeeded ?? 0)]),
  setDefaults: setJobDefaults,
  strategy: jobStrategy,
  validation: { create: validateJobCreate, update: validateJobUpdate, subresources: { status: validateJobStatus } },
  warn: (job, old, warnings) => {
    if (old && old.metadata.generation === job.metadata.generation) return;
    if (!old) warnAboutName(job.metadata.name, 'Pod names and hostnames', warnings);
    warnAboutJobSpec(job.spec ?? {}, 'spec', warnings);
  },
  row: jobRow,
};
