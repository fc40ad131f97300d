import type { KindDescription } from '../behaviour';
import { coreEvents } from '../events';
import { componentstatuses } from './componentstatuses';
import { configmaps } from './configmaps';
import { endpoints } from './endpoints';
import { namespaces } from './namespaces';
import { nodes } from './nodes';
import { persistentvolumeclaims } from './persistentvolumeclaims';
import { persistentvolumes } from './persistentvolumes';
import { pods } from './pods';
import { podtemplates } from './podtemplates';
import { limitranges } from './quota/limitranges';
import { resourcequotas } from './quota/resourcequotas';
import { replicationcontrollers } from './replicationcontrollers';
import { secrets } from './secrets';
import { serviceaccounts } from './serviceaccounts';
import { services } from './services';

export const coreKinds: readonly KindDescription[] = [
  namespaces,
  nodes,
  pods,
  componentstatuses,
  configmaps,
  secrets,
  services,
  serviceaccounts,
  coreEvents,
  { name: 'bindings', served: true },
  podtemplates,
  replicationcontrollers,
  endpoints,
  limitranges,
  resourcequotas,
  persistentvolumes,
  persistentvolumeclaims,
];
