import { fieldsOf, nameField, namespaceField, simpleField } from '../../../selectors/kind-fields';
import { warnAboutBalancers } from '../../../validation/legacy-addresses';
import type { KindDescription } from '../../behaviour';
import { beginService } from './allocation';
import { setServiceDefaults } from './defaults';
import { readBackService } from './read-back';
import { serviceRow } from './row';
import { prepareNewService, prepareServiceUpdate, serviceAsAsked } from './strategy';
import { validateService } from './validation';
import { validateServiceStatusUpdate, validateServiceUpdate } from './validation-of-updates';
import { warnAboutService } from './warnings';

export { defaultServiceCidr } from './allocation';

export const services: KindDescription = {
  name: 'services',
  served: true,
  createOnUpdate: true,
  deletionReturnsObject: true,
  fields: fieldsOf(nameField, namespaceField, simpleField('spec.clusterIP'), simpleField('spec.type')),
  setDefaults: setServiceDefaults,
  strategy: {
    begin: beginService,
    create: prepareNewService,
    asAsked: serviceAsAsked,
    update: prepareServiceUpdate,
    readBack: readBackService,
  },
  validation: {
    create: validateService,
    update: validateServiceUpdate,
    subresources: { status: validateServiceStatusUpdate },
  },
  warn: (service, _old, warnings) => warnAboutService(service, warnings),
  warnOfStatus: ({ status }, warnings) => warnAboutBalancers(status, warnings),
  row: serviceRow,
};
