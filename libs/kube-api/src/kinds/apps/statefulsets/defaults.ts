import type { JsonObject } from '#libs/kernel';
import { listIn, objectIn, setAbsent, setEmpty } from '../../../defaults/draft';
import { defaultPodTemplate } from '../../core/pods/defaults';
import { setClaimDefaults } from '../../core/persistentvolumeclaims';

/** Claims inside a set say what they are, whatever was sent, and have the status of a new claim. */
function defaultClaimTemplate(claim: JsonObject): void {
  claim['kind'] = 'PersistentVolumeClaim';
  claim['apiVersion'] = 'v1';
  setClaimDefaults(claim);
}

function defaultUpdateStrategy(spec: JsonObject): void {
  const strategy = objectIn(spec, 'updateStrategy') ?? {};
  spec['updateStrategy'] = strategy;
  if (!strategy['type']) {
    strategy['type'] = 'RollingUpdate';
    setAbsent(strategy, 'rollingUpdate', {});
  }
  const rolling = objectIn(strategy, 'rollingUpdate');
  if (!rolling) return;
  if (strategy['type'] === 'RollingUpdate') setAbsent(rolling, 'partition', 0);
}

export function setStatefulSetDefaults(set: JsonObject): void {
  const spec = objectIn(set, 'spec') ?? {};
  set['spec'] = spec;
  setEmpty(spec, 'podManagementPolicy', 'OrderedReady');
  defaultUpdateStrategy(spec);
  const retention = objectIn(spec, 'persistentVolumeClaimRetentionPolicy') ?? {};
  spec['persistentVolumeClaimRetentionPolicy'] = retention;
  setEmpty(retention, 'whenDeleted', 'Retain');
  setEmpty(retention, 'whenScaled', 'Retain');
  setAbsent(spec, 'replicas', 1);
  setAbsent(spec, 'revisionHistoryLimit', 10);
  defaultPodTemplate(spec);
  listIn(spec, 'volumeClaimTemplates').forEach(defaultClaimTemplate);
}
