import { fieldsOf, nameField, namespaceField } from '../../selectors/kind-fields';
import type { KindDescription } from '../behaviour';

export const batchKinds: readonly KindDescription[] = [
  {
    name: 'jobs.batch',
    generation: 'managed',
    dependants: 'orphaned',
    fields: fieldsOf(nameField, namespaceField, ['status.successful', (job) => String(job.status?.succeeded ?? 0)]),
  },
  { name: 'cronjobs.batch', generation: 'managed' },
];
