import { age, countOf, nameOf, rowOf } from '../../printing/cell';
import type { KindDescription } from '../behaviour';
import { validateConfigMap, validateConfigMapUpdate } from './configuration-validation';

export const configmaps: KindDescription = {
  name: 'configmaps',
  served: true,
  validation: { create: validateConfigMap, update: validateConfigMapUpdate },
  row: rowOf((object, now) => [nameOf(object), countOf(object.data) + countOf(object.binaryData), age(object, now)]),
};
