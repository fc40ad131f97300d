import type { JsonObject } from '#libs/kernel';
import { listIn, objectIn, setAbsent } from '../../defaults/draft';
import { defaultMetric, withoutRoundTrip } from './v1/conversion';
import type { ObjectMeta } from '#libs/kernel';

const pods = { type: 'Pods', value: 4, periodSeconds: 15 };
const all = { type: 'Percent', value: 100, periodSeconds: 15 };

/** Where the pace of one direction is given, that of the other is filled in as well. */
function defaultBehavior(behavior: JsonObject): void {
  const rules = (direction: string): JsonObject => {
    const given = objectIn(behavior, direction) ?? {};
    // Of a feature that is off by default in the recorded release (HPAConfigurableTolerance): dropped without a word.
    delete given['tolerance'];
    setAbsent(given, 'selectPolicy', 'Max');
    return (behavior[direction] = given);
  };
  const up = rules('scaleUp');
  setAbsent(up, 'stabilizationWindowSeconds', 0);
  setAbsent(up, 'policies', [{ ...pods }, { ...all }]);
  setAbsent(rules('scaleDown'), 'policies', [{ ...all }]);
}

/** Of the stored version, which is the newest. */
export function setAutoscalerDefaults(autoscaler: JsonObject): void {
  const spec = objectIn(autoscaler, 'spec') ?? {};
  autoscaler['spec'] = spec;
  setAbsent(spec, 'minReplicas', 1);
  if (listIn(spec, 'metrics').length === 0) spec['metrics'] = [structuredClone(defaultMetric)];
  const behavior = objectIn(spec, 'behavior');
  if (behavior) defaultBehavior(behavior);
  const metadata = objectIn(autoscaler, 'metadata');
  if (metadata) autoscaler['metadata'] = withoutRoundTrip(metadata as unknown as ObjectMeta) as unknown as JsonObject;
}

/** The older version leaves the choice of metrics to its conversion, which knows them all. */
export function setV1Defaults(autoscaler: JsonObject): void {
  const spec = objectIn(autoscaler, 'spec') ?? {};
  autoscaler['spec'] = spec;
  setAbsent(spec, 'minReplicas', 1);
}
