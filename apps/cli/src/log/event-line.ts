import type { RecordedEvent } from '#libs/event-log';
import { parseStream } from '#libs/events';
import { changesTold } from './changes-told';

/** `12:00:01.250  4128  PodScheduled           pods default/web-0    scheduler   node=node-1` */
export function eventLine(event: RecordedEvent, cluster: string): string {
  const time = new Date(event.metadata.time as number).toISOString().slice(11, 23);
  const subject = parseStream(cluster, event.stream);
  const about = subject?.kind === 'object' ? named(subject) : (aboutObject(event) ?? `[${subject?.stream ?? event.stream}]`);
  const parts = [
    time,
    String(event.position).padStart(7),
    event.type.padEnd(26),
    about.padEnd(44),
    String(event.metadata.actor).padEnd(25),
    summary(event),
  ];
  return parts.join('  ').trimEnd();
}

const valueMax = 100;

function named({ resource, namespace, name }: { resource: string; namespace?: string; name: string }): string {
  return `${resource} ${namespace ? `${namespace}/` : ''}${name}`;
}

/** The object that a decision or a review names in its payload: such events are not in that object's stream. */
function aboutObject({ type, data }: RecordedEvent): string | undefined {
  const { resource, namespace, name, pod } = data as Partial<Record<string, string>>;
  if (pod !== undefined) return named({ resource: 'pods', namespace, name: pod });
  if (name === undefined) return undefined;
  if (resource !== undefined) return named({ resource, namespace, name });
  return type === 'PodAdmissionRequested' ? named({ resource: 'pods', namespace, name }) : undefined;
}

/** What is in the payload for programs, or stands in the line already; `-o json` shows it. */
const leftOut = new Set(['uid', 'act', 'preemptorUid', 'question', 'review', 'imageID', 'containerID', 'configDigest', 'options']);
const namingKeys = new Set(['resource', 'namespace', 'name', 'pod']);

/** The payload's own words, short: small values as they are, large ones by their size. */
function summary(event: RecordedEvent): string {
  const { type, data } = event;
  if (type === 'Created') return '';
  if (type === 'Updated' || type === 'StatusUpdated') return clip(changesTold(data));
  const isNamed = aboutObject(event) !== undefined;
  return clip(
    Object.entries(data)
      .filter(([key]) => !leftOut.has(key) && !(isNamed && namingKeys.has(key)))
      .map(([key, value]) => `${key}=${typeof value === 'object' && value !== null ? short(value) : String(value)}`)
      .join(' '),
  );
}

function short(value: object): string {
  if (!Array.isArray(value)) return statusMessage(value) ?? '{…}';
  return `[${value.map((item) => (typeof item === 'object' && item !== null ? ((item as { name?: string }).name ?? '…') : String(item))).join(' ')}]`;
}

/** Of a Status its first cause, which says more than the whole: which budget, and by how much. */
function statusMessage({ message, details }: { message?: string; details?: { causes?: { message?: string }[] } }): string | undefined {
  return details?.causes?.[0]?.message ?? message;
}

function clip(text: string): string {
  return text.length > valueMax ? `${text.slice(0, valueMax - 1)}…` : text;
}
