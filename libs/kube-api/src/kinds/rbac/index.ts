import type { KindDescription } from '../behaviour';
import { clusterrolebindings, rolebindings } from './bindings';
import { clusterroles, roles } from './roles';

export const rbacKinds: readonly KindDescription[] = [roles, clusterroles, rolebindings, clusterrolebindings];
