import type { KindRules } from '#libs/cluster-state';
import { jsonEqual, type KubeObject } from '#libs/kernel';
import { KindCatalogue } from '../../kinds/catalogue';
import { groupResourceOf } from '../../kinds/names';
import { newKindCatalogue, releaseKinds } from '../../kinds/release';
import { isConditionTrue, isEstablished, type DefinitionSpec, type DefinitionStatus } from '../definition';
import { kindsOfDefinition } from './kinds-of-definition';

export const definitionResource = 'customresourcedefinitions.apiextensions.k8s.io';

/** The kinds of a cluster are those of the release and those that its definitions bring, as of each position of the log. */
export const kindRules: KindRules = {
  definitions: definitionResource,
  after(kinds, before, after) {
    if (before && after && isSameKind(before, after)) return kinds;
    const brought = after && !isTakenByRelease(after) ? kindsOfDefinition(after) : [];
    if (!kinds && brought.length === 0) return kinds;
    const catalogue = kinds ?? newKindCatalogue();
    for (const definition of [before, after]) if (definition) catalogue.removeCustom(resourceOf(definition));
    for (const kind of brought) catalogue.add(kind);
    return catalogue;
  },
};

/** The kinds that definitions bring, and those of the release. */
export function kindsByDefinitions(definitions: Iterable<KubeObject>): KindCatalogue | undefined {
  let kinds: KindCatalogue | undefined;
  for (const definition of definitions) kinds = kindRules.after(kinds, undefined, definition);
  return kinds;
}

let versionsOfRelease: ReadonlySet<string> | undefined;

/**
 * Whether what is defined has the place of something else: of a kind of the release, or of one more kind in a version of a group that the release
 * serves. Upstream accepts such a definition, and answers there by its own kinds alone: whoever may define kinds is not to become the keeper of roles
 * or nodes. (In other versions of the group upstream would serve a kind that is called like one of its own; here it is not served at all.)
 */
export function isTakenByRelease({ spec }: KubeObject): boolean {
  const { group, names, versions } = spec as DefinitionSpec;
  versionsOfRelease ??= new Set(releaseKinds.all.map((kind) => `${kind.group}/${kind.version}`));
  const taken = versionsOfRelease;
  return (
    releaseKinds.findGroupResource(groupResourceOf(group, names.plural)) !== undefined ||
    (versions ?? []).some(({ name }) => taken.has(`${group}/${name}`))
  );
}

function resourceOf({ spec, status }: KubeObject): string {
  const { group, names } = spec as DefinitionSpec;
  const accepted = (status as DefinitionStatus | undefined)?.acceptedNames.plural;
  return groupResourceOf(group, accepted || names.plural);
}

/** Nothing has changed that anybody who uses the kind could notice. */
function isSameKind(before: KubeObject, after: KubeObject): boolean {
  return (
    isSameService(before, after) &&
    isEstablished(before) === isEstablished(after) &&
    isConditionTrue(before, 'Terminating') === isConditionTrue(after, 'Terminating')
  );
}

/** The kind goes on being served as it was: whoever watches its objects goes on watching. */
export function isSameService(before: KubeObject, after: KubeObject): boolean {
  const names = ({ status }: KubeObject): unknown => (status as DefinitionStatus | undefined)?.acceptedNames;
  return before.metadata.uid === after.metadata.uid && jsonEqual(before.spec, after.spec) && jsonEqual(names(before), names(after));
}
