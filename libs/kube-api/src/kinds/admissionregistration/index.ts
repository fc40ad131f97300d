import type { KindDescription } from '../behaviour';
import { validatingadmissionpolicies } from './policies';
import { validatingadmissionpolicybindings } from './policybindings';
import { mutatingwebhookconfigurations, validatingwebhookconfigurations } from './webhooks';

export const admissionKinds: readonly KindDescription[] = [
  mutatingwebhookconfigurations,
  validatingwebhookconfigurations,
  validatingadmissionpolicies,
  validatingadmissionpolicybindings,
];
