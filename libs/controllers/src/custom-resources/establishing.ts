import type { Reconciler } from '#libs/control-loop';
import { isConditionTrue, isEstablished, withDefinitionCondition } from '#libs/kube-api';
import { definitions, lookingAtEach, statusStep } from './definitions';

/** A custom kind whose names are accepted is established: from then on requests for its objects are answered. */
export const establishingController: Reconciler = {
  name: 'crd-establishing-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  ...lookingAtEach,

  reconcile(cluster, _index, name, { now }) {
    const definition = cluster.get(definitions, undefined, name);
    if (!definition || !isConditionTrue(definition, 'NamesAccepted') || isEstablished(definition)) return undefined;
    const finding = {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    } as const;
    return { steps: [statusStep('established', withDefinitionCondition(definition, finding, now))] };
  },
};
