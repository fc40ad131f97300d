import type { KindDescription } from '../behaviour';
import { deployments } from './deployments';
import { replicasets } from './replicasets';

export const appsKinds: readonly KindDescription[] = [
  deployments,
  replicasets,
  { name: 'statefulsets.apps', generation: 'managed', strategy: { zeroStatus: { replicas: 0, availableReplicas: 0 } } },
  {
    name: 'daemonsets.apps',
    generation: 'managed',
    strategy: { zeroStatus: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 } },
  },
];
