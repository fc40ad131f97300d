import { ageOf } from '../../printing/age';
import { nameOf, rowOf, type Loose } from '../../printing/cell';

/** Events of either API. */
export const eventRow = rowOf((event, now) => {
  const involved: Loose = event.involvedObject ?? event.regarding ?? {};
  const source: Loose = event.source ?? event.deprecatedSource ?? {};
  const first = ageOf(event.firstTimestamp ?? event.deprecatedFirstTimestamp ?? event.eventTime, now);
  const lastTime = event.lastTimestamp ?? event.deprecatedLastTimestamp;
  const last = event.series ? ageOf(event.series.lastObservedTime, now) : lastTime ? ageOf(lastTime, now) : first;
  const count: number = (event.series ? event.series.count : (event.count ?? event.deprecatedCount)) || 1;
  const kind = (involved.kind ?? '').toLowerCase();
  const component: string = source.component || event.reportingComponent || event.reportingController || '';
  const instance: string = source.host || event.reportingInstance || '';
  return [
    last,
    event.type ?? '',
    event.reason ?? '',
    involved.name ? `${kind}/${involved.name}` : kind,
    involved.fieldPath ?? '',
    instance === '' ? component : `${component}, ${instance}`,
    (event.message ?? event.note ?? '').trim(),
    first,
    count,
    nameOf(event),
  ];
});
