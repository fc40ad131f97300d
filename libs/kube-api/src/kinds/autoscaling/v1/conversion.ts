import type { JsonObject, KubeObject, ObjectMeta } from '#libs/kernel';
import { toWireForm } from '../../../decode/wire-form';
import { definition } from '../../../schema';
import { isSet, listOf, type Loose } from '../../../validation/values';
import type { KindConversion } from '../../behaviour';
import { readAnnotation, writeAnnotation } from './annotation';
import { specFromV1, specToV1, statusFromV1, statusToV1 } from './metrics';

/** What v1 has no field for, in annotations of this domain. */
const domain = 'autoscaling.alpha.kubernetes.io';
const [metricsKey, behaviorKey, statusesKey, conditionsKey] = ['metrics', 'behavior', 'current-metrics', 'conditions'].map(
  (name) => `${domain}/${name}`,
) as [string, string, string, string];
const roundTrip = [metricsKey, behaviorKey, statusesKey, conditionsKey, `${domain}/scale-down-tolerance`, `${domain}/scale-up-tolerance`];

/** Without the annotations that stand for fields: the stored version has the fields. */
export function withoutRoundTrip(metadata: ObjectMeta): ObjectMeta {
  const { annotations, ...rest } = metadata;
  if (!annotations || !roundTrip.some((key) => Object.hasOwn(annotations, key))) return metadata;
  const kept = Object.entries(annotations).filter(([key]) => !roundTrip.includes(key));
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) };
}

/** The metric that v1 has a field for. */
const isCpuUtilization = ({ type, resource }: Loose): boolean =>
  type === 'Resource' && resource?.name === 'cpu' && isSet(resource.target?.averageUtilization);

export const defaultMetric = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

function toStorage({ metadata, spec, status }: KubeObject): KubeObject {
  const annotations = metadata.annotations ?? {};
  const { targetCPUUtilizationPercentage: cpu, ...kept } = (spec ?? {}) as Loose;
  const others = readAnnotation('v1.Metrics', annotations[metricsKey]);
  const metrics = [
    ...listOf(others?.['items']).map(specFromV1),
    ...(isSet(cpu) ? [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpu } } }] : []),
  ];
  return toWireForm(definition('autoscaling.v2.HorizontalPodAutoscaler'), {
    metadata: withoutRoundTrip(metadata),
    spec: { ...kept, metrics: metrics.length > 0 ? metrics : [defaultMetric], behavior: behaviorFrom(annotations[behaviorKey]) },
    status: statusToStorage(status ?? {}, annotations),
  } as KubeObject);
}

function statusToStorage({ currentCPUUtilizationPercentage: cpu, ...kept }: Loose, annotations: Record<string, string>): JsonObject {
  const statuses = readAnnotation('v1.Statuses', annotations[statusesKey]);
  const own = isSet(cpu) ? [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: cpu } } }] : undefined;
  const conditions = readAnnotation('v1.Conditions', annotations[conditionsKey]);
  return { ...kept, currentMetrics: statuses ? listOf(statuses['items']).map(statusFromV1) : own, conditions: conditions?.['items'] };
}

/** One without any rules is none. */
function behaviorFrom(text: string | undefined): JsonObject | undefined {
  const { ScaleUp: up, ScaleDown: down } = (readAnnotation('v1.Behavior', text) ?? {}) as Loose;
  if (!isSet(up) && !isSet(down)) return undefined;
  return { scaleUp: up && rulesFrom(up), scaleDown: down && rulesFrom(down) };
}

const rulesFrom = (rules: Loose): JsonObject => ({
  stabilizationWindowSeconds: rules.StabilizationWindowSeconds,
  selectPolicy: rules.SelectPolicy,
  policies: listOf(rules.Policies).map(({ Type, Value, PeriodSeconds }) => ({ type: Type, value: Value, periodSeconds: PeriodSeconds })),
});

const rulesOf = (rules: Loose): JsonObject => ({
  StabilizationWindowSeconds: rules.stabilizationWindowSeconds,
  SelectPolicy: rules.selectPolicy,
  Policies: listOf(rules.policies).map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })),
  Tolerance: rules.tolerance,
});

function fromStorage({ metadata, spec, status }: KubeObject): KubeObject {
  const { metrics, behavior: _behavior, ...kept } = (spec ?? {}) as Loose;
  const { currentMetrics, conditions: _conditions, ...counts } = (status ?? {}) as Loose;
  const cpu = listOf(metrics).find(isCpuUtilization);
  const cpuStatus = listOf(currentMetrics).findLast(
    ({ type, resource }) => type === 'Resource' && resource?.name === 'cpu' && isSet(resource.current?.averageUtilization),
  );
  const own = withoutRoundTrip(metadata);
  const annotations = annotationsOf(spec ?? {}, status ?? {});
  return toWireForm(definition('autoscaling.v1.HorizontalPodAutoscaler'), {
    metadata: Object.keys(annotations).length > 0 ? { ...own, annotations: { ...own.annotations, ...annotations } } : own,
    spec: { ...kept, targetCPUUtilizationPercentage: cpu?.resource.target.averageUtilization },
    status: { ...counts, currentCPUUtilizationPercentage: cpuStatus?.resource.current.averageUtilization },
  } as unknown as KubeObject);
}

function annotationsOf({ metrics, behavior }: Loose, { currentMetrics, conditions }: Loose): Record<string, string> {
  const annotations: Record<string, string> = {};
  const others = listOf(metrics).filter((metric) => !isCpuUtilization(metric));
  if (others.length > 0) annotations[metricsKey] = writeAnnotation('v1.Metrics', { items: others.map(specToV1) } as JsonObject);
  const statuses = listOf(currentMetrics);
  // The status of the metric that v1 has a field for is among them: the field has no place for its raw value.
  if (statuses.length > 0) annotations[statusesKey] = writeAnnotation('v1.Statuses', { items: statuses.map(statusToV1) } as JsonObject);
  if (isSet(behavior)) {
    const { scaleUp, scaleDown } = behavior;
    const rules = { ScaleUp: scaleUp && rulesOf(scaleUp), ScaleDown: scaleDown && rulesOf(scaleDown) };
    annotations[behaviorKey] = writeAnnotation('v1.Behavior', rules as JsonObject);
  }
  if (listOf(conditions).length > 0) annotations[conditionsKey] = writeAnnotation('v1.Conditions', { items: conditions } as JsonObject);
  return annotations;
}

export const v1Conversion: KindConversion = { toStorage, fromStorage };
