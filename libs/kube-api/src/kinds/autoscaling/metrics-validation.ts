import { forbidden, invalidValue, required, unsupported } from '../../status/field-error';
import { isPathSegmentName } from '../../validation/formats';
import { quantityOf, validateContainerResourceName } from '../../validation/resources';
import { isSet, listOf, validateDnsLabel, validateTexts, type Errors, type Loose } from '../../validation/values';
import { validateReference } from './reference';

const types = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
/** In the order in which they are looked at, of which the first alone is checked. */
const sources = ['object', 'external', 'pods', 'resource', 'containerResource'];
const targetTypes = ['Utilization', 'Value', 'AverageValue'];

/** @param anyReference references that were wrong before may stay so */
export function validateMetrics(metrics: unknown, minReplicas: unknown, anyReference: boolean, errors: Errors): void {
  const list = listOf(metrics);
  for (const [index, metric] of list.entries()) validateMetric(metric, anyReference, `spec.metrics[${index}]`, errors);
  if (minReplicas === 0 && !list.some(({ type }) => type === 'Object' || type === 'External')) {
    errors.push(forbidden('spec.metrics', 'must specify at least one Object or External metric to support scaling to zero replicas'));
  }
}

function validateMetric(metric: Loose, anyReference: boolean, field: string, errors: Errors): void {
  const { type = '' } = metric;
  if (type === '') errors.push(required(`${field}.type`, 'must specify a metric source type'));
  if (!types.includes(type)) errors.push(unsupported(`${field}.type`, type, types));
  const present = sources.filter((source) => isSet(metric[source]));
  const [first] = present;
  if (first !== undefined) validateSource(first, metric[first], anyReference, `${field}.${first}`, errors);
  const expected = types.includes(type) ? (type[0] as string).toLowerCase() + (type as string).slice(1) : undefined;
  if (expected === undefined) errors.push(unsupported(`${field}.type`, type, types));
  else if (!isSet(metric[expected])) errors.push(required(`${field}.${expected}`, 'must populate information for the given metric source'));
  if (present.length === 1) return;
  for (const other of present) {
    if (other !== expected) errors.push(forbidden(`${field}.${other}`, 'must populate the given metric source only'));
  }
}

function validateSource(kind: string, source: Loose, anyReference: boolean, field: string, errors: Errors): void {
  const { target = {} } = source;
  if (kind === 'object')
    validateReference(source.describedObject ?? {}, { anyVersion: anyReference, anyGroup: true }, `${field}.describedObject`, errors);
  if (kind === 'resource' || kind === 'containerResource') {
    validateResource(kind, source, field, errors);
    return;
  }
  validateIdentifier(source.metric ?? {}, `${field}.metric`, errors);
  validateTarget(target, `${field}.target`, errors);
  const needs = (text: string): void => {
    errors.push(required(`${field}.target.averageValue`, text));
  };
  const [value, average] = [isSet(target.value), isSet(target.averageValue)];
  if (kind === 'pods' && !average) needs('must specify a positive target averageValue');
  if (kind === 'object' && !value && !average) needs('must set either a target value or averageValue');
  if (kind !== 'external') return;
  if (!value && !average) needs('must set either a target value for metric or a per-pod target');
  if (value && average) errors.push(forbidden(`${field}.target.value`, 'may not set both a target value for metric and a per-pod target'));
}

function validateResource(kind: string, { name = '', container = '', target = {} }: Loose, field: string, errors: Errors): void {
  if (name === '') errors.push(required(`${field}.name`, 'must specify a resource name'));
  else if (kind === 'containerResource') validateContainerResourceName(name, `${field}.name`, errors);
  if (kind === 'containerResource') {
    if (container === '') errors.push(required(`${field}.container`, 'must specify a container'));
    else validateDnsLabel(container, `${field}.container`, errors);
  }
  validateTarget(target, `${field}.target`, errors);
  const [utilization, value] = [isSet(target.averageUtilization), isSet(target.averageValue)];
  if (!utilization && !value) {
    errors.push(required(`${field}.target.averageUtilization`, 'must set either a target raw value or a target utilization'));
  }
  if (utilization && value) {
    errors.push(forbidden(`${field}.target.averageValue`, 'may not set both a target raw value and a target utilization'));
  }
}

function validateTarget({ type = '', value, averageValue, averageUtilization }: Loose, field: string, errors: Errors): void {
  if (type === '') errors.push(required(`${field}.type`, 'must specify a metric target type'));
  if (!targetTypes.includes(type)) errors.push(invalidValue(`${field}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  for (const [name, quantity] of Object.entries({ value, averageValue })) {
    if (isSet(quantity) && quantityOf(quantity).nano <= 0n) errors.push(invalidValue(`${field}.${name}`, quantity, 'must be positive'));
  }
  if (isSet(averageUtilization) && averageUtilization < 1) {
    errors.push(invalidValue(`${field}.averageUtilization`, averageUtilization, 'must be greater than 0'));
  }
}

function validateIdentifier({ name = '' }: Loose, field: string, errors: Errors): void {
  if (name === '') errors.push(required(`${field}.name`, 'must specify a metric name'));
  else validateTexts(isPathSegmentName(name), name, `${field}.name`, errors);
}
