import { derivedUid, formatMicroTime, formatTime, type JsonObject, type KubeObject } from '#libs/kernel';
import type { Reference, Report } from './report';

/** Where and when a report was made. */
export interface ReportOrigin {
  /** Id of the event that gave rise to it. */
  id: string;
  /** Its place among the reports of that event, from 0. */
  index: number;
  version: number;
  /** Cluster time, ms. */
  time: number;
}

/** Events about cluster-scoped objects live here. */
const namespaceOfUnscoped = 'default';

export function namespaceOf(report: Report): string {
  return report.regarding.namespace || namespaceOfUnscoped;
}

/** Sixteen hex digits from the event's id: `<object>.<digits>`, one name for each report. */
export function reportName(report: Report, { id, index }: ReportOrigin): string {
  const digits = BigInt(`0x${id.replaceAll('-', '').slice(0, 16)}`) + BigInt(index);
  return `${report.regarding.name}.${(digits & 0xffff_ffff_ffff_ffffn).toString(16).padStart(16, '0')}`;
}

function referenceObject({ kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath }: Reference): JsonObject {
  return {
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    uid,
    apiVersion,
    ...(resourceVersion ? { resourceVersion } : {}),
    ...(fieldPath ? { fieldPath } : {}),
  };
}

/**
 * A report as the core Event that upstream's recorders would have written: with `eventTime` and an action where the reporter
 * uses events.k8s.io, with first and last time and a count where it does not.
 */
export function eventObject(report: Report, origin: ReportOrigin): KubeObject {
  const { component, host, action } = report;
  const name = reportName(report, origin);
  const metadata = {
    name,
    namespace: namespaceOf(report),
    uid: derivedUid(`report/${origin.id}/${origin.index}`),
    resourceVersion: String(origin.version),
    creationTimestamp: formatTime(origin.time),
    ...(report.annotations ? { annotations: report.annotations } : {}),
  };
  const isNew = action !== undefined;
  const time = formatTime(origin.time);
  return {
    metadata,
    involvedObject: referenceObject(report.regarding),
    reason: report.reason,
    message: report.message,
    source: isNew ? {} : { component, ...(host ? { host } : {}) },
    firstTimestamp: isNew ? null : time,
    lastTimestamp: isNew ? null : time,
    ...(isNew ? {} : { count: report.count ?? 1 }),
    type: report.type,
    eventTime: isNew ? formatMicroTime(origin.time) : null,
    ...(isNew ? { action } : {}),
    ...(report.related ? { related: referenceObject(report.related) } : {}),
    reportingComponent: component,
    reportingInstance: isNew ? `${component}-kubereel` : (host ?? ''),
  };
}

/** The same report once more: counted on the first one, as a count (which may be given) or as a series. */
export function repeated(event: KubeObject, { version, time }: { version: number; time: number }, count?: number): KubeObject {
  const metadata = { ...event.metadata, resourceVersion: String(version) };
  if (event.eventTime === null) return { ...event, metadata, lastTimestamp: formatTime(time), count: count ?? (event.count as number) + 1 };
  const { metadata: _, eventTime, series, action, related, reportingComponent, reportingInstance, ...head } = event;
  return {
    metadata,
    ...head,
    eventTime,
    series: { count: ((series?.count as number | undefined) ?? 1) + 1, lastObservedTime: formatMicroTime(time) },
    action,
    ...(related === undefined ? {} : { related }),
    reportingComponent,
    reportingInstance,
  };
}
