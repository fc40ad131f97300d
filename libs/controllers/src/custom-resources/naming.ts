import type { ClusterState } from '#libs/cluster-state';
import type { Reconciler } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import { namesAreSettled, takenNames, withAcceptedNames } from './accepted-names';
import { definitions, lookingAtEach, statusStep } from './definitions';

/** By group: the names of its definitions. */
type Groups = Map<string, Set<string>>;

const groupOf = ({ spec }: KubeObject): string => (spec?.group as string | undefined) ?? '';

/**
 * Gives definitions their names: within a group each name is that of one kind. Whoever comes first has it; a definition that gives a name
 * back has the others of its group looked at again.
 */
export const namingConditionController: Reconciler<Groups> = {
  name: 'crd-naming-condition-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},

  index(cluster) {
    const groups: Groups = new Map();
    for (const definition of cluster.table(definitions).objects.values()) add(groups, definition);
    return groups;
  },

  follows: [definitions],
  *follow(groups, { change }, cluster) {
    if (change?.resource !== definitions) return;
    const { name } = change.object.metadata;
    const group = groupOf(change.object);
    if (change.type === 'DELETED') remove(groups, change.object);
    else {
      if (change.type === 'ADDED') add(groups, change.object);
      yield name;
    }
    for (const other of groups.get(group) ?? []) if (other !== name && isOpen(cluster, other)) yield other;
  },

  allSubjects: (_groups, cluster) => lookingAtEach.allSubjects(undefined, cluster),

  reconcile(cluster, groups, name, { now }) {
    const definition = cluster.get(definitions, undefined, name);
    if (!definition || namesAreSettled(definition)) return undefined;
    const changed = withAcceptedNames(definition, takenNames(ofGroup(cluster, groups.get(groupOf(definition)))), now);
    return changed === definition ? undefined : { steps: [statusStep('names', changed)] };
  },
};

function isOpen(cluster: ClusterState, name: string): boolean {
  const definition = cluster.get(definitions, undefined, name);
  return definition !== undefined && !namesAreSettled(definition);
}

function* ofGroup(cluster: ClusterState, names: Iterable<string> = []): Iterable<KubeObject> {
  for (const name of names) {
    const definition = cluster.get(definitions, undefined, name);
    if (definition) yield definition;
  }
}

function add(groups: Groups, definition: KubeObject): void {
  const group = groupOf(definition);
  const names = groups.get(group) ?? new Set();
  groups.set(group, names.add(definition.metadata.name));
}

function remove(groups: Groups, definition: KubeObject): void {
  const names = groups.get(groupOf(definition));
  names?.delete(definition.metadata.name);
  if (names?.size === 0) groups.delete(groupOf(definition));
}
