import type { Reconciler, Step } from '#libs/control-loop';
import { jsonEqual } from '#libs/kernel';
import { localApiServices } from '#libs/kube-api';

const resource = 'apiservices.apiregistration.k8s.io';
const managed = 'kube-aggregator.kubernetes.io/automanaged';

/**
 * An APIService for each group version that the server answers itself. They are looked after once, when the server starts: one that is deleted
 * stays away until the next start (upstream: `automanaged: onstart`).
 */
export const apiServiceRegistration: Reconciler = {
  name: 'apiservice-registration-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follows: [],
  follow: () => [],
  allSubjects: () => ['local'],
  reconcile(cluster) {
    const steps = localApiServices().flatMap((wanted): Step[] => {
      const { name } = wanted.metadata;
      const present = cluster.get(resource, undefined, name);
      if (!present) return [{ step: name, request: { verb: 'create', resource, object: wanted } }];
      if (!present.metadata.labels?.[managed] || jsonEqual(present.spec, wanted.spec)) return [];
      const updated = { ...present, spec: wanted.spec };
      return [{ step: name, request: { verb: 'update', target: { resource, name }, object: updated } }];
    });
    return steps.length > 0 ? { steps } : undefined;
  },
};
