import { age, nameOf, none, rowOf } from '../../printing/cell';
import { isSet, listOf, type Loose } from '../../validation/values';

const shownMetrics = 2;
const unknown = '<unknown>';

/** `1/5`, `cpu: 3%/60%`: what is measured and what is wished, where the status at the same place says what is measured. */
function metricText({ type, ...sources }: Loose, status: Loose): string {
  const key = type === undefined ? '' : `${type[0].toLowerCase()}${type.slice(1)}`;
  const source = sources[key];
  const current = status?.[key]?.current;
  switch (type) {
    case 'External':
    case 'Object':
      if (isSet(source.target.averageValue)) return `${current?.averageValue ?? unknown}/${source.target.averageValue} (avg)`;
      return `${isSet(status?.[key]) ? current?.value : unknown}/${source.target.value}`;
    case 'Pods':
      return `${isSet(status?.[key]) ? current?.averageValue : unknown}/${source.target.averageValue}`;
    case 'Resource':
    case 'ContainerResource':
      return `${source.name}: ${resourceText(source.target, current)}`;
    default:
      return '<unknown type>';
  }
}

function resourceText({ averageValue, averageUtilization }: Loose, current: Loose): string {
  if (isSet(averageValue)) return `${current?.averageValue ?? unknown}/${averageValue}`;
  const measured = isSet(current?.averageUtilization) ? `${current.averageUtilization}%` : unknown;
  return `${measured}/${isSet(averageUtilization) ? `${averageUtilization}%` : '<auto>'}`;
}

function metricsText(metrics: unknown, statuses: unknown): string {
  const texts = listOf(metrics).map((metric, index) => metricText(metric, listOf(statuses)[index]));
  if (texts.length === 0) return none;
  const shown = texts.slice(0, shownMetrics).join(', ');
  return texts.length > shownMetrics ? `${shown} + ${texts.length - shownMetrics} more...` : shown;
}

export const autoscalerRow = rowOf((autoscaler, now) => {
  const { scaleTargetRef = {}, minReplicas, maxReplicas = 0, metrics } = autoscaler.spec ?? {};
  const { currentReplicas = 0, currentMetrics } = autoscaler.status ?? {};
  return [
    nameOf(autoscaler),
    `${scaleTargetRef.kind ?? ''}/${scaleTargetRef.name ?? ''}`,
    metricsText(metrics, currentMetrics),
    isSet(minReplicas) ? String(minReplicas) : '<unset>',
    maxReplicas,
    currentReplicas,
    age(autoscaler, now),
  ];
});
