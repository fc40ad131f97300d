import type { KindDescription } from '../behaviour';
import { controllerrevisions } from './controllerrevisions';
import { daemonsets } from './daemonsets';
import { deployments } from './deployments';
import { replicasets } from './replicasets';
import { statefulsets } from './statefulsets';

export const appsKinds: readonly KindDescription[] = [deployments, replicasets, statefulsets, daemonsets, controllerrevisions];
