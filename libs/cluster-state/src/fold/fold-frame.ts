import type { RecordedEvent } from '#libs/event-log';
import type { EventMetadata } from '#libs/events';
import type { GroupResource, KubeObject } from '#libs/kernel';
import type { KindCatalogue } from '#libs/kube-api';
import { changesOwners, fieldOwnership } from '../field-ownership';
import { atVersion, foldEvent } from './fold-event';

/** Whose object a frame is folded into. */
export interface FrameSubject {
  resource: GroupResource;
  /** Absent: those of the release. */
  kinds?: KindCatalogue;
  /** Objects are folded without those who own their fields. */
  leavesOutOwners?: boolean;
}

/**
 * One frame of an append, folded into its object: the fields, the version (position of the frame's last event), and who owns which fields.
 * @param first of the append, which says who wrote
 */
export function foldFrame(
  subject: FrameSubject,
  before: KubeObject | undefined,
  events: readonly RecordedEvent[],
  first: RecordedEvent,
): KubeObject | undefined {
  let object = before;
  for (const { type, data, metadata } of events) object = foldEvent(object, { type, data, time: metadata.time as number });
  if (!object) return undefined;
  const after = atVersion(object, (events[events.length - 1] as RecordedEvent).position);
  if (!subject.leavesOutOwners) keepOwners(subject, before, events, first, after);
  return after;
}

/** The version is new here and nobody else's yet. */
function keepOwners(
  { resource, kinds }: FrameSubject,
  before: KubeObject | undefined,
  events: readonly RecordedEvent[],
  { metadata }: RecordedEvent,
  after: KubeObject,
): void {
  const ownership = fieldOwnership();
  const whole = metadata as unknown as EventMetadata;
  if (!ownership || !changesOwners(events, whole)) return;
  const told = events.find(({ type }) => type === 'ManagedFieldsChanged')?.data;
  const old = events[0]?.type === 'Created' ? undefined : before;
  const managedFields = ownership.after({ resource, kinds, before: old, after, metadata: whole, told });
  if (managedFields) after.metadata.managedFields = managedFields;
}
