import type { JsonObject } from '#libs/kernel';
import { objectIn, setAbsent } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { formatObjectSelector } from '../../selectors';
import type { KindDescription } from '../behaviour';
import { defaultPodTemplate } from '../core/pods/defaults';
import { containerCells, warnAboutWorkload, workloadStatus, workloadValidation } from './workload';

function setReplicaSetDefaults(replicaSet: JsonObject): void {
  const spec = objectIn(replicaSet, 'spec');
  if (!spec) return;
  setAbsent(spec, 'replicas', 1);
  defaultPodTemplate(spec);
}

const replicaSetRow = rowOf((set, now) => {
  const { replicas: desired = 0, selector, template } = set.spec ?? {};
  const { replicas = 0, readyReplicas = 0 } = set.status ?? {};
  return [nameOf(set), desired, replicas, readyReplicas, age(set, now), ...containerCells(template), formatObjectSelector(selector)];
});

export const replicasets: KindDescription = {
  name: 'replicasets.apps',
  served: true,
  generation: 'managed',
  formerVersions: ['apps/v1beta2', 'extensions/v1beta1'],
  setDefaults: setReplicaSetDefaults,
  strategy: { zeroStatus: { replicas: 0 }, subresources: { status: workloadStatus } },
  validation: workloadValidation('ReplicaSet'),
  warn: warnAboutWorkload,
  row: replicaSetRow,
};
