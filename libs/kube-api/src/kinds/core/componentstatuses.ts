import { nameOf, rowOf } from '../../printing/cell';
import { listOf } from '../../validation/values';
import type { KindDescription } from '../behaviour';

/** How the parts of the control plane are. Stored nowhere: whoever answers looks. */
export const componentstatuses: KindDescription = {
  name: 'componentstatuses',
  served: true,
  deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
  row: rowOf((component) => {
    const found = listOf(component.conditions).find(({ type }) => type === 'Healthy');
    const status = found ? (found.status === 'True' ? 'Healthy' : 'Unhealthy') : 'Unknown';
    return [nameOf(component), status, found?.message ?? '', found?.error ?? ''];
  }),
};
