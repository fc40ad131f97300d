import type { JsonObject } from '#libs/kernel';
import { objectIn, setAbsent, setEmpty } from '../../../defaults/draft';
import { age, labelText, nameOf, rowOf } from '../../../printing/cell';
import { formatObjectSelector } from '../../../selectors';
import type { KindDescription } from '../../behaviour';
import { defaultPodTemplate } from '../../core/pods/defaults';
import { warnAboutTemplate } from '../../core/pods/warnings';
import { containerCells } from '../workload';
import { daemonSetStrategy, setTemplateGeneration, templateGeneration, unreadableGeneration } from './strategy';
import { validateDaemonSet, validateDaemonSetStatus, validateDaemonSetUpdate } from './validation';

function setDaemonSetDefaults(set: JsonObject): void {
  const spec = objectIn(set, 'spec') ?? {};
  set['spec'] = spec;
  const strategy = objectIn(spec, 'updateStrategy') ?? {};
  spec['updateStrategy'] = strategy;
  setEmpty(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] === 'RollingUpdate') {
    const rolling = objectIn(strategy, 'rollingUpdate') ?? {};
    strategy['rollingUpdate'] = rolling;
    setAbsent(rolling, 'maxUnavailable', 1);
    setAbsent(rolling, 'maxSurge', 0);
  }
  const unused = objectIn(strategy, 'rollingUpdate');
  if (unused) for (const field of ['maxUnavailable', 'maxSurge']) setAbsent(unused, field, 0);
  setAbsent(spec, 'revisionHistoryLimit', 10);
  defaultPodTemplate(spec);
  setTemplateGeneration(set);
}

const daemonSetRow = rowOf((set, now) => {
  const { selector, template } = set.spec ?? {};
  const {
    desiredNumberScheduled = 0,
    currentNumberScheduled = 0,
    numberReady = 0,
    updatedNumberScheduled = 0,
    numberAvailable = 0,
  } = set.status ?? {};
  return [
    nameOf(set),
    desiredNumberScheduled,
    currentNumberScheduled,
    numberReady,
    updatedNumberScheduled,
    numberAvailable,
    labelText(template?.spec?.nodeSelector),
    age(set, now),
    ...containerCells(template),
    formatObjectSelector(selector),
  ];
});

export const daemonsets: KindDescription = {
  name: 'daemonsets.apps',
  served: true,
  generation: 'managed',
  formerVersions: ['apps/v1beta2', 'extensions/v1beta1'],
  setDefaults: setDaemonSetDefaults,
  unreadable: unreadableGeneration,
  strategy: daemonSetStrategy,
  validation: { create: validateDaemonSet, update: validateDaemonSetUpdate, subresources: { status: validateDaemonSetStatus } },
  warn: (set, old, warnings) => {
    if (old && templateGeneration(old) === templateGeneration(set)) return;
    warnAboutTemplate(set.spec?.template ?? {}, 'spec.template', warnings);
  },
  row: daemonSetRow,
};
