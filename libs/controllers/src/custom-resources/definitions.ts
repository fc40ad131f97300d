import type { Reconciler, Step } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';

export const definitions = 'customresourcedefinitions.apiextensions.k8s.io';

/** A controller that looks at each definition by itself, by its name: whenever it has changed. */
export const lookingAtEach: Pick<Reconciler, 'follows' | 'follow' | 'allSubjects'> = {
  follows: [definitions],
  *follow(_index, { change }) {
    if (change?.resource === definitions && change.type !== 'DELETED') yield change.object.metadata.name;
  },

  *allSubjects(_index, cluster) {
    for (const { metadata } of cluster.table(definitions).objects.values()) yield metadata.name;
  },
};

/** A write of a definition through its status, by what was looked at. */
export function statusStep(step: string, definition: KubeObject): Step {
  const target = { resource: definitions, name: definition.metadata.name };
  return { step, request: { verb: 'update', target, subresource: 'status', object: definition } };
}
