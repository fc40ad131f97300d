import { fieldsOf, fieldText, nameField, namespaceField, simpleField, type FieldLabel, type ReadField } from '../../selectors/kind-fields';
import type { KindDescription } from '../behaviour';
import { coreEventOf, eventsViewOf } from '../../decode/event-view';
import { eventRow } from './row';
import { validateEvent, validateEventUpdate } from './validation';

/** The component that reports an event, whichever of the two APIs wrote it. */
const reporting: ReadField = (event) => fieldText(event.reportingComponent ?? event.reportingController);
const source: ReadField = (event) => fieldText(event.source?.component ?? event.deprecatedSource?.component) || reporting(event);

const involvedKeys = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

/** `involvedObject.kind`, or `regarding.kind` in the newer API. */
function involvedFields(holder: string): FieldLabel[] {
  return involvedKeys.map((key) => [`${holder}.${key}`, (event) => fieldText((event.involvedObject ?? event.regarding)?.[key])]);
}

export const coreEvents: KindDescription = {
  name: 'events',
  served: true,
  createOnUpdate: true,
  dependants: 'ignored',
  fields: fieldsOf(
    nameField,
    namespaceField,
    ...involvedFields('involvedObject'),
    simpleField('reason'),
    ['reportingComponent', reporting],
    ['source', source],
    simpleField('type'),
  ),
  validation: {
    create: (event, errors) => validateEvent(event, false, errors),
    update: (updated, old, errors) => validateEventUpdate(updated, old, false, errors),
  },
  row: eventRow,
};

/** The same objects with other names for some of their fields. */
const newEvents: KindDescription = {
  ...coreEvents,
  name: 'events.events.k8s.io',
  storage: 'events',
  conversion: { fromStorage: eventsViewOf, toStorage: coreEventOf },
  formerVersions: ['events.k8s.io/v1beta1'],
  fields: fieldsOf(
    nameField,
    namespaceField,
    ...involvedFields('regarding'),
    simpleField('reason'),
    ['reportingController', reporting],
    simpleField('type'),
  ),
  validation: {
    create: (event, errors) => validateEvent(event, true, errors),
    update: (updated, old, errors) => validateEventUpdate(updated, old, true, errors),
  },
};

export const eventsKinds: readonly KindDescription[] = [newEvents];
