import { derivedId } from '#libs/kernel';
import type { Caller, UserInfo, WriteRequest } from '#libs/kube-api';
import type { Origin } from './origin';

const authenticated = 'system:authenticated';

/** The API server as its own client. A real one draws another uid at each start. */
const apiserver: UserInfo = {
  username: 'system:apiserver',
  uid: derivedId('system:apiserver'),
  groups: [authenticated, 'system:masters'],
};

/** Who controllers are, where they do not go by an account: those of the API server, and components of their own. */
const components: Readonly<Record<string, UserInfo>> = {
  scheduler: { username: 'system:kube-scheduler', groups: [authenticated] },
  'serviceaccount-token-controller': { username: 'system:kube-controller-manager', groups: [authenticated] },
  'apiservice-autoregistration-controller': apiserver,
  'apiservice-availability-controller': apiserver,
  'apiservice-registration-controller': apiserver,
  'crd-api-approval-controller': apiserver,
  'crd-establishing-controller': apiserver,
  'crd-finalizer': apiserver,
  'crd-naming-condition-controller': apiserver,
  'kubernetes-service-cidr-controller': apiserver,
  'priority-and-fairness-config-consumer': apiserver,
  'priority-and-fairness-config-producer': apiserver,
  'rbac-bootstrap-roles': apiserver,
  'resource-quota-admission': apiserver,
  'service-ip-addresses': apiserver,
};

/** Accounts of controllers that are not called as they are (upstream: the subjects of the roles `system:controller:…`). */
const accounts: Readonly<Record<string, string>> = {
  'certificatesigningrequest-approving-controller': 'certificate-controller',
  'certificatesigningrequest-cleaner-controller': 'certificate-controller',
  'certificatesigningrequest-signing-controller': 'certificate-controller',
  disruption: 'disruption-controller',
  'garbage-collector-controller': 'generic-garbage-collector',
  'node-lifecycle-controller': 'node-controller',
  'persistentvolume-protection-controller': 'pv-protection-controller',
  'persistentvolumeclaim-protection-controller': 'pvc-protection-controller',
  'root-ca-cert-publisher-controller': 'root-ca-cert-publisher',
  'serviceaccount-controller': 'service-account-controller',
};

/**
 * Whom webhooks and policies see behind a write: the user of a request, or a controller by its account. Nobody behind what the API server
 * writes for itself, nor where it takes the objects of a kind away with their definition: they are deleted where they are stored.
 */
export function callerOf({ actor, basis, caller }: Origin, { verb }: Pick<WriteRequest, 'verb'>): Caller | undefined {
  if (caller) return caller;
  if (!basis || (actor === 'crd-finalizer' && verb === 'delete')) return undefined;
  const user = components[actor] ?? accountOf(accounts[actor] ?? actor);
  // What is in a namespace goes by its collections.
  return actor === 'namespace-controller' ? { user, isOfCollection: true } : { user };
}

function accountOf(name: string): UserInfo {
  const groups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system', authenticated];
  return { username: `system:serviceaccount:kube-system:${name}`, groups };
}
