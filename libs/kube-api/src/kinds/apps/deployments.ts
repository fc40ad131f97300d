import type { JsonObject } from '#libs/kernel';
import { objectIn, setAbsent, setEmpty } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { compileObjectSelector, labelSelectorString } from '../../selectors';
import { keepMetadata } from '../../strategy/status-update';
import type { KindDescription } from '../behaviour';
import { defaultPodTemplate } from '../core/pods/defaults';
import { containerCells, warnAboutWorkload, workloadStatus, workloadValidation } from './workload';

function setDeploymentDefaults(deployment: JsonObject): void {
  const spec = objectIn(deployment, 'spec');
  if (!spec) return;
  setAbsent(spec, 'replicas', 1);
  const strategy = objectIn(spec, 'strategy') ?? {};
  spec['strategy'] = strategy;
  setEmpty(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] === 'RollingUpdate') {
    const rolling = objectIn(strategy, 'rollingUpdate') ?? {};
    strategy['rollingUpdate'] = rolling;
    setAbsent(rolling, 'maxUnavailable', '25%');
    setAbsent(rolling, 'maxSurge', '25%');
  }
  setAbsent(spec, 'revisionHistoryLimit', 10);
  setAbsent(spec, 'progressDeadlineSeconds', 600);
  defaultPodTemplate(spec);
}

const deploymentRow = rowOf((deployment, now) => {
  const { replicas = 0, selector, template } = deployment.spec ?? {};
  const { readyReplicas = 0, updatedReplicas = 0, availableReplicas = 0 } = deployment.status ?? {};
  const shown = labelSelectorString(compileObjectSelector(selector));
  return [
    nameOf(deployment),
    `${readyReplicas}/${replicas}`,
    updatedReplicas,
    availableReplicas,
    age(deployment, now),
    ...containerCells(template),
    shown,
  ];
});

export const deployments: KindDescription = {
  name: 'deployments.apps',
  served: true,
  generation: 'managed',
  formerVersions: ['apps/v1beta1', 'apps/v1beta2', 'extensions/v1beta1'],
  setDefaults: setDeploymentDefaults,
  // The controller copies a Deployment's annotations to its ReplicaSets.
  strategy: {
    annotationsAreWish: true,
    subresources: { status: (updated, old) => keepMetadata(workloadStatus(updated, old), old, ['labels']) },
    owns: { status: { except: ['spec', 'metadata.labels'] } },
  },
  validation: workloadValidation('Deployment'),
  warn: warnAboutWorkload,
  row: deploymentRow,
};
