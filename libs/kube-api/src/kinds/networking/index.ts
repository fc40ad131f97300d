import type { KindDescription } from '../behaviour';
import { ingressclasses } from './ingressclasses';
import { ingresses } from './ingresses';
import { ipaddresses } from './ipaddresses';
import { networkpolicies } from './networkpolicies';
import { servicecidrs } from './servicecidrs';

export const networkingKinds: readonly KindDescription[] = [ingresses, ingressclasses, networkpolicies, ipaddresses, servicecidrs];
