import type { KubeObject } from '#libs/kernel';
import { invalidValue, required } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { byteLength, isDnsSubdomain } from '../../validation/formats';
import { goShape } from '../../validation/go-shapes';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import type { Errors, Loose } from '../../validation/values';
import { immutableText, isSet, validateQualifiedName, validateTexts } from '../../validation/values';

/** An event's fields under either of its two APIs. */
function fieldsOf(event: KubeObject): Loose {
  return {
    involvedObject: event.involvedObject ?? event.regarding ?? {},
    message: event.message ?? event.note ?? '',
    reportingController: event.reportingController ?? event.reportingComponent ?? '',
    reportingInstance: event.reportingInstance ?? '',
    firstTimestamp: event.firstTimestamp ?? event.deprecatedFirstTimestamp,
    lastTimestamp: event.lastTimestamp ?? event.deprecatedLastTimestamp,
    count: event.count ?? event.deprecatedCount ?? 0,
    source: event.source ?? event.deprecatedSource ?? {},
    reason: event.reason ?? '',
    action: event.action ?? '',
    type: event.type ?? '',
    eventTime: event.eventTime,
    series: event.series,
    related: event.related,
  };
}

const noteBytesMax = 1024;
const wordBytesMax = 128;

/** Rules of old: an event lives where its object does. With `eventTime` the newer fields are asked for as well. */
function validateLegacy(event: KubeObject, fields: Loose, controllerField: string, errors: Errors): void {
  const namespace = event.metadata.namespace ?? '';
  const involved: string = fields.involvedObject.namespace ?? '';
  const mismatch = () => errors.push(invalidValue('involvedObject.namespace', involved, 'does not match event.namespace'));
  if (!isSet(fields.eventTime)) {
    if (involved === '') {
      if (namespace !== '' && namespace !== 'default') mismatch();
    } else if (involved !== namespace) mismatch();
  } else {
    if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') mismatch();
    validateReporter(fields, controllerField, errors);
  }
  validateTexts(isDnsSubdomain(namespace), namespace, 'namespace', errors);
}

function validateReporter(fields: Loose, controllerField: string, errors: Errors): void {
  const tooLong = (field: string, max: number) => {
    if (byteLength(fields[field]) > max) errors.push(invalidValue(field, '', `can have at most ${max} characters`));
  };
  if (fields.reportingController === '') errors.push(required(controllerField));
  validateQualifiedName(fields.reportingController, controllerField, errors);
  for (const field of ['reportingInstance', 'action', 'reason']) {
    if (fields[field] === '') errors.push(required(field));
    tooLong(field, wordBytesMax);
  }
  tooLong('message', noteBytesMax);
}

function validateSeries(series: Loose, errors: Errors): void {
  if (!isSet(series)) return;
  if ((series.count ?? 0) < 2) errors.push(invalidValue('series.count', '', 'should be at least 2'));
  if (!isSet(series.lastObservedTime)) errors.push(required('series.lastObservedTime'));
}

/** `newer`: through events.k8s.io, whose rules are stricter. */
export function validateEvent(event: KubeObject, newer: boolean, errors: Errors): void {
  const fields = fieldsOf(event);
  validateLegacy(event, fields, newer ? 'reportingController' : 'reportingComponent', errors);
  if (!newer) return;
  validateMetadata(event.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validateSeries(fields.series, errors);
  if (!isSet(fields.eventTime)) errors.push(required('eventTime'));
  if (fields.type !== 'Normal' && fields.type !== 'Warning') errors.push(invalidValue('type', '', `has invalid value: ${fields.type}`));
  const unset = (field: string, present: boolean) => {
    if (present) errors.push(invalidValue(field, '', 'needs to be unset'));
  };
  unset('firstTimestamp', isSet(fields.firstTimestamp));
  unset('lastTimestamp', isSet(fields.lastTimestamp));
  unset('count', fields.count !== 0);
  unset('source', Boolean(fields.source.component || fields.source.host));
}

type Shown = (value: Loose) => unknown;
const asIs: Shown = (value) => value;
const reference: Shown = (value) => goShape('ObjectReference', value);

/** What is for life, in upstream's order, which names the reason twice; each with how its value is shown. */
const fixed: readonly (readonly [field: string, shown: Shown])[] = [
  ['involvedObject', reference],
  ['reason', asIs],
  ['message', asIs],
  ['source', (value) => goShape('EventSource', value)],
  ['firstTimestamp', asIs],
  ['lastTimestamp', asIs],
  ['count', asIs],
  ['reason', asIs],
  ['type', asIs],
  ['eventTime', asIs],
  ['action', asIs],
  ['related', (value) => (isSet(value) ? reference(value) : null)],
  ['reportingController', asIs],
  ['reportingInstance', asIs],
];

/** Through events.k8s.io only the series may change. */
export function validateEventUpdate(updated: KubeObject, old: KubeObject, newer: boolean, errors: Errors): void {
  const fields = fieldsOf(updated);
  validateLegacy(updated, fields, newer ? 'reportingController' : 'reportingComponent', errors);
  if (!newer) return;
  const before = fieldsOf(old);
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  if (!semanticEqual(fields.series, before.series)) validateSeries(fields.series, errors);
  for (const [field, shown] of fixed) {
    if (!semanticEqual(fields[field], before[field])) errors.push(invalidValue(field, shown(fields[field]), immutableText));
  }
}
