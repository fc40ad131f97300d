import { objectIn } from '../../defaults/draft';
import { age, nameOf, rowOf } from '../../printing/cell';
import { nameField, simpleField, type KindFields } from '../../selectors/kind-fields';
import type { KindDescription } from '../behaviour';
import { dropFromSlice } from './disabled-fields';
import { validateSlice, validateSliceUpdate } from './validation/slices';

const fields: KindFields = {
  labels: new Map([nameField, simpleField('spec.nodeName'), simpleField('spec.driver')]),
  refusal: (label) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${label}`,
};

export const resourceslices: KindDescription = {
  name: 'resourceslices.resource.k8s.io',
  served: true,
  generation: 'managed',
  deletionReturnsObject: true,
  formerVersions: ['resource.k8s.io/v1alpha3', 'resource.k8s.io/v1beta1', 'resource.k8s.io/v1beta2'],
  fields,
  setDefaults: (slice) => dropFromSlice(objectIn(slice, 'spec') ?? {}),
  validation: { create: validateSlice, update: validateSliceUpdate },
  row: rowOf((slice, now) => {
    const { nodeName = '', driver = '', pool } = slice.spec ?? {};
    return [nameOf(slice), nodeName, driver, pool?.name ?? '', age(slice, now)];
  }),
};
