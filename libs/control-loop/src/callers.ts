import type { Caller, UserInfo } from '#libs/kube-api';
import type { Origin } from './origin';

const authenticated = 'system:authenticated';

/** Who controllers are, where they do not go by an account of their own. */
const components: Readonly<Record<string, UserInfo>> = {
  scheduler: { username: 'system:kube-scheduler', groups: [authenticated] },
};

/** Accounts of controllers that are not called as they are. */
const accounts: Readonly<Record<string, string>> = {
  replicaset: 'replicaset-controller',
  deployment: 'deployment-controller',
  statefulset: 'statefulset-controller',
  daemonset: 'daemon-set-controller',
  job: 'job-controller',
  cronjob: 'cronjob-controller',
  disruption: 'disruption-controller',
  'garbage-collector-controller': 'generic-garbage-collector',
  namespace: 'namespace-controller',
};

/**
 * Whom webhooks and policies see behind a write: the user of a request, or a controller by its account. Nobody behind what the API server
 * writes for itself. What is in a namespace goes by its collections.
 */
export function callerOf({ actor, basis, caller }: Origin): Caller | undefined {
  if (caller) return caller;
  if (!basis) return undefined;
  const user = components[actor] ?? accountOf(accounts[actor] ?? actor);
  return actor === 'namespace' ? { user, isOfCollection: true } : { user };
}

function accountOf(name: string): UserInfo {
  const groups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system', authenticated];
  return { username: `system:serviceaccount:kube-system:${name}`, groups };
}
