import { derivedUid } from '#libs/kernel';
import { anonymous, type User } from '../authentication/authenticator';

const probe = /^\/(healthz|livez|readyz)(\/|$)/;

export interface FairnessHeaders {
  'X-Kubernetes-Pf-Flowschema-Uid': string;
  'X-Kubernetes-Pf-Prioritylevel-Uid': string;
}

function headersFor(schema: string, level: string): FairnessHeaders {
  return {
    'X-Kubernetes-Pf-Flowschema-Uid': derivedUid(`flowschemas/${schema}`),
    'X-Kubernetes-Pf-Prioritylevel-Uid': derivedUid(`prioritylevelconfigurations/${level}`),
  };
}

const exempt = headersFor('exempt', 'exempt');
const probes = headersFor('probes', 'exempt');
const catchAll = headersFor('catch-all', 'catch-all');

/** Which of the built-in flow schemas a request falls under. Nothing is held back: the headers only say it. */
export function fairnessHeaders(user: User, path: string): FairnessHeaders {
  if (user !== anonymous) return exempt;
  return probe.test(path) ? probes : catchAll;
}
