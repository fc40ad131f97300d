import type { KubeObject } from '#libs/kernel';
import { age, nameOf, rowOf } from '../../../printing/cell';
import { withStatus } from '../../../strategy/status-update';
import { isSet, listOf, type Loose } from '../../../validation/values';
import type { KindDescription } from '../../behaviour';
import { warnAboutClaim } from '../../core/pods/volume-warnings';
import { warnAboutTemplate } from '../../core/pods/warnings';
import { containerCells } from '../workload';
import { setStatefulSetDefaults } from './defaults';
import { validateStatefulSet, validateStatefulSetStatus, validateStatefulSetUpdate } from './validation';

/** Of a feature that is off by default in the recorded release (MaxUnavailableStatefulSet): whoever writes it owns it, and it is dropped. */
function withoutMaxUnavailable(set: KubeObject): KubeObject {
  const strategy: Loose = set.spec?.updateStrategy;
  if (!isSet(strategy?.rollingUpdate?.maxUnavailable)) return set;
  const { maxUnavailable: _, ...rollingUpdate } = strategy.rollingUpdate;
  return { ...set, spec: { ...set.spec, updateStrategy: { ...strategy, rollingUpdate } } };
}

function warnAboutStatefulSet(set: KubeObject, old: KubeObject | undefined, warnings: string[]): void {
  if (!old || old.metadata.generation !== set.metadata.generation) warnAboutTemplate(set.spec?.template ?? {}, 'spec.template', warnings);
  for (const [index, claim] of listOf(set.spec?.volumeClaimTemplates).entries()) {
    // Upstream's path of a claim leads to its spec at an update, and not at a creation.
    warnAboutClaim(claim.spec ?? {}, `spec.volumeClaimTemplates[${index}]${old ? '.Spec' : ''}`, warnings);
  }
  if ((set.spec?.revisionHistoryLimit ?? 0) < 0) {
    warnings.push('spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended');
  }
}

export const statefulsets: KindDescription = {
  name: 'statefulsets.apps',
  served: true,
  generation: 'managed',
  formerVersions: ['apps/v1beta1', 'apps/v1beta2'],
  setDefaults: setStatefulSetDefaults,
  strategy: {
    create: (set) => ({ ...withoutMaxUnavailable(set), status: { replicas: 0, availableReplicas: 0 } }),
    update: (updated, old) => withStatus(withoutMaxUnavailable(updated), old.status),
  },
  validation: {
    create: validateStatefulSet,
    update: validateStatefulSetUpdate,
    subresources: { status: validateStatefulSetStatus },
  },
  warn: warnAboutStatefulSet,
  row: rowOf((set, now) => {
    const { replicas = 0, template } = set.spec ?? {};
    return [nameOf(set), `${set.status?.readyReplicas ?? 0}/${replicas}`, age(set, now), ...containerCells(template)];
  }),
};
