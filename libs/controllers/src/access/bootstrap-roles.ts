import type { Reconciler, Step } from '#libs/control-loop';
import { policyObjects, reconciledPolicyObject, type PolicyObject, type StateView } from '#libs/kube-api';

const subject = 'policy';

/**
 * The roles and bindings that a server makes for itself: at each start those that are gone come back, and the others get what they lack
 * (upstream's hook `rbac/bootstrap-roles`). The first ones are made before the server answers; a cluster without any gets none here.
 */
export const bootstrapRoles: Reconciler = {
  name: 'rbac-bootstrap-roles',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follows: [],
  follow: () => [],
  allSubjects: () => [subject],
  reconcile(cluster) {
    if (!policyObjects().some((own) => presentOf(cluster, own))) return undefined;
    const steps = policyObjects().flatMap((own) => stepsFor(cluster, own));
    // What is made anew has to be gone first.
    const sequential = steps.some(({ request }) => request.verb === 'delete');
    return steps.length > 0 ? { steps, ...(sequential ? { sequential } : {}) } : undefined;
  },
};

function presentOf(cluster: Pick<StateView, 'get'>, { resource, object: { metadata } }: PolicyObject) {
  return cluster.get(resource, metadata.namespace, metadata.name);
}

function stepsFor(cluster: Pick<StateView, 'get'>, own: PolicyObject): Step[] {
  const { resource, object } = own;
  const { namespace, name } = object.metadata;
  const target = { resource, namespace, name };
  const place = `${resource.slice(0, resource.indexOf('.'))}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
  const create: Step = { step: place, request: { verb: 'create', resource, namespace, object } };
  const present = presentOf(cluster, own);
  if (!present) return [create];
  const outcome = reconciledPolicyObject(present, object);
  switch (outcome.kind) {
    case 'none':
      return [];
    case 'update':
      return [{ step: place, request: { verb: 'update', target, object: outcome.object } }];
    case 'recreate':
      return [
        { step: `${place}/gone`, request: { verb: 'delete', target, options: { preconditions: { uid: present.metadata.uid } } } },
        create,
      ];
  }
}
