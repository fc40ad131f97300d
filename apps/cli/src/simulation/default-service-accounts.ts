import type { Reconciler } from '#libs/control-loop';

/** Gives each namespace its `default` ServiceAccount, without which no pod is admitted there (upstream's serviceaccount controller). */
export const defaultServiceAccounts: Reconciler = {
  name: 'serviceaccount-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  subjectsOf: ({ change }) => (change?.resource === 'namespaces' && change.type === 'ADDED' ? [change.name] : []),
  *allSubjects(cluster) {
    for (const namespace of cluster.list('namespaces')) yield namespace.metadata.name;
  },
  reconcile(cluster, namespace) {
    if (!cluster.get('namespaces', undefined, namespace) || cluster.get('serviceaccounts', namespace, 'default')) return undefined;
    const object = { metadata: { name: 'default', namespace } } as never;
    return { steps: [{ step: 'default', request: { verb: 'create', resource: 'serviceaccounts', namespace, object } }] };
  },
};
