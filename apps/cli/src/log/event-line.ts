import type { RecordedEvent } from '#libs/event-log';
import { parseStream } from '#libs/events';
import { changesTold } from './changes-told';

/** `12:00:01.250  4128  PodScheduled           pods default/web-0    scheduler   node=node-1` */
export function eventLine(event: RecordedEvent, cluster: string): string {
  const time = new Date(event.metadata.time as number).toISOString().slice(11, 23);
  const subject = parseStream(cluster, event.stream);
  const about =
    subject?.kind === 'object'
      ? `${subject.resource} ${subject.namespace ? `${subject.namespace}/` : ''}${subject.name}`
      : `[${subject?.stream ?? event.stream}]`;
  const parts = [
    time,
    String(event.position).padStart(7),
    event.type.padEnd(24),
    about.padEnd(44),
    String(event.metadata.actor).padEnd(22),
    summary(event),
  ];
  return parts.join('  ').trimEnd();
}

const valueMax = 100;

/** The payload's own words, short: small values as they are, large ones by their size. */
function summary({ type, data }: RecordedEvent): string {
  if (type === 'Created') return '';
  if (type === 'Updated' || type === 'StatusUpdated') return clip(changesTold(data));
  return clip(
    Object.entries(data)
      .map(([key, value]) => `${key}=${typeof value === 'object' && value !== null ? short(value) : String(value)}`)
      .join(' '),
  );
}

function short(value: object): string {
  if (!Array.isArray(value)) return '{…}';
  return `[${value.map((item) => (typeof item === 'object' && item !== null ? ((item as { name?: string }).name ?? '…') : String(item))).join(' ')}]`;
}

function clip(text: string): string {
  return text.length > valueMax ? `${text.slice(0, valueMax - 1)}…` : text;
}
