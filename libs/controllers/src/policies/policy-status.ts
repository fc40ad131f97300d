import type { Reconciler } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import { kindsOf, typeWarnings } from '#libs/kube-api';

const resource = 'validatingadmissionpolicies.admissionregistration.k8s.io';

/** Checks the expressions of each ValidatingAdmissionPolicy against the kinds that it names, and says in its status what it finds. */
export const policyStatusController: Reconciler = {
  name: 'validatingadmissionpolicy-status-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},

  follows: [resource],
  *follow(_index, { change }) {
    if (change?.resource === resource && change.type !== 'DELETED') yield change.object.metadata.name;
  },

  *allSubjects(_index, cluster) {
    for (const { metadata } of cluster.table(resource).objects.values()) yield metadata.name;
  },

  reconcile(cluster, _index, name) {
    const policy = cluster.get(resource, undefined, name);
    if (!policy || isObserved(policy)) return undefined;
    const warnings = typeWarnings(policy, kindsOf(cluster));
    const typeChecking = warnings.length > 0 ? { expressionWarnings: warnings } : {};
    const status = { ...policy.status, observedGeneration: policy.metadata.generation, typeChecking };
    const object = { ...policy, status } as KubeObject;
    return { steps: [{ step: 'status', request: { verb: 'update', target: { resource, name }, subresource: 'status', object } }] };
  },
};

function isObserved({ metadata, status }: KubeObject): boolean {
  return (metadata.generation ?? 0) <= ((status?.observedGeneration as number | undefined) ?? 0);
}
