import type { ClusterState } from '#libs/cluster-state';
import { ofNoObject, type Reconciler, type Reconciliation } from '#libs/control-loop';
import { objectKey, type KubeObject } from '#libs/kernel';
import { AskedSignatures, signatureAsked } from '../certificates/requests';
import type { SignatureCall } from '../certificates/request-signer';

const tokenType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';

/**
 * Secrets of type `kubernetes.io/service-account-token` get the token of their account, the CA and their namespace, and go with the
 * account (upstream `serviceaccount-token-controller`). Whoever holds the key writes the token; it is nowhere else in the log.
 */
export const tokenController: Reconciler<AskedSignatures> = {
  name: 'serviceaccount-token-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follows: ['secrets', 'serviceaccounts', ofNoObject],
  index: () => new AskedSignatures(),

  *allSubjects(_asked, cluster) {
    for (const secret of cluster.table('secrets').objects.values())
      if (secret.type === tokenType) yield objectKey(secret.metadata.namespace, secret.metadata.name);
  },

  *follow(asked, append, cluster) {
    asked.follow(append);
    const { change } = append;
    if (change?.resource === 'secrets' && change.object.type === tokenType) yield change.key;
    if (change?.resource !== 'serviceaccounts' || change.type === 'MODIFIED') return;
    const { name } = change.object.metadata;
    for (const secret of cluster.table('secrets').list(change.namespace))
      if (secret.type === tokenType && secret.metadata.annotations?.[nameAnnotation] === name)
        yield objectKey(change.namespace, secret.metadata.name);
  },

  reconcile(cluster, asked, subject, { decision }) {
    const [namespace = '', name = ''] = subject.split('/');
    const secret = cluster.get('secrets', namespace, name);
    if (!secret) return withoutReference(cluster, namespace, name);
    const { annotations = {}, uid } = secret.metadata;
    const owner = annotations[nameAnnotation];
    if (secret.type !== tokenType || !owner) return undefined;
    const account = cluster.get('serviceaccounts', namespace, owner);
    const ownerUid = annotations[uidAnnotation] ?? '';
    if (!account || (ownerUid !== '' && ownerUid !== account.metadata.uid)) {
      const target = { resource: 'secrets', namespace, name };
      return { steps: [{ step: 'delete', request: { verb: 'delete', target, options: { preconditions: { uid } } } }] };
    }
    const { token, namespace: told } = (secret.data ?? {}) as { token?: string; namespace?: string };
    if ((token && told) || asked.has(secret)) return undefined;
    const call: SignatureCall = { resource: 'secrets', namespace, name, uid };
    return { records: [signatureAsked(decision, 'secrets', secret)], steps: [], calls: [{ ask: decision, request: call }] };
  },
};

/** Accounts that still name a secret that has gone. */
function withoutReference(cluster: ClusterState, namespace: string, name: string): Reconciliation | undefined {
  const steps = [...cluster.table('serviceaccounts').list(namespace)].flatMap((account) => {
    const secrets = (account.secrets as { name?: string }[] | undefined) ?? [];
    if (!secrets.some((secret) => secret.name === name)) return [];
    const object = { ...account, secrets: secrets.filter((secret) => secret.name !== name) } as unknown as KubeObject;
    const target = { resource: 'serviceaccounts', namespace, name: account.metadata.name };
    return { step: `forget/${account.metadata.name}`, request: { verb: 'update' as const, target, object } };
  });
  return steps.length > 0 ? { steps } : undefined;
}
