import type { Reconciler } from '#libs/control-loop';
import { isConditionTrue, isEstablished, withDefinitionCondition } from '#libs/kube-api';
import { definitions, statusStep } from './definitions';

/** A custom kind whose names are accepted is established: from then on requests for its objects are answered. */
export const establishingController: Reconciler = {
  name: 'crd-establishing-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},

  *follow(_index, { change }) {
    if (change?.resource === definitions && change.type !== 'DELETED') yield change.object.metadata.name;
  },

  *allSubjects(_index, cluster) {
    for (const { metadata } of cluster.table(definitions).objects.values()) yield metadata.name;
  },

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
