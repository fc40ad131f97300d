import { jsonEqual, type KubeObject } from '#libs/kernel';
import {
  conditionOf,
  saysSo,
  withDefinitionCondition,
  type DefinitionFinding,
  type DefinitionNames,
  type DefinitionStatus,
} from '#libs/kube-api';

/** Names that definitions of a group have been given. */
export interface TakenNames {
  readonly resources: Set<string>;
  readonly kinds: Set<string>;
}

export const noNames: DefinitionNames = { plural: '', kind: '' };

export const acceptedNamesOf = (definition: KubeObject): DefinitionNames =>
  (definition.status as DefinitionStatus | undefined)?.acceptedNames ?? noNames;

export function takenNames(ofGroup: Iterable<KubeObject>): TakenNames {
  const taken: TakenNames = { resources: new Set(), kinds: new Set() };
  for (const definition of ofGroup) {
    const { plural, singular = '', shortNames, kind, listKind = '' } = acceptedNamesOf(definition);
    for (const name of [plural, singular, ...(shortNames ?? [])]) taken.resources.add(name);
    for (const name of [kind, listKind]) taken.kinds.add(name);
  }
  return taken;
}

/** Whether the server has decided on all names that are wanted. */
export function namesAreSettled(definition: KubeObject): boolean {
  return jsonEqual(definition.spec.names, acceptedNamesOf(definition));
}

interface Names {
  accepted: DefinitionNames;
  /** Of several conflicts the last one. */
  conflict?: { reason: string; message: string };
}

/** The names that are wanted, as far as nobody else has them; of the others, what was accepted before. */
function decideNames(wanted: DefinitionNames, before: DefinitionNames, { resources, kinds }: TakenNames): Names {
  const names: Names = { accepted: { ...before } };
  const conflictOf = (name: string, own: string, taken: ReadonlySet<string>): string | undefined =>
    name === own || !taken.has(name) ? undefined : `${JSON.stringify(name)} is already in use`;
  const decide = (field: 'plural' | 'singular' | 'kind' | 'listKind', reason: string, taken: ReadonlySet<string>): void => {
    const message = conflictOf(wanted[field] ?? '', before[field] ?? '', taken);
    if (message === undefined) names.accepted = { ...names.accepted, [field]: wanted[field] };
    else names.conflict = { reason, message };
  };
  decide('plural', 'PluralConflict', resources);
  decide('singular', 'SingularConflict', resources);
  const own = before.shortNames ?? [];
  const texts = (wanted.shortNames ?? []).flatMap((name) => (own.includes(name) ? [] : (conflictOf(name, '', resources) ?? [])));
  if (texts.length === 0) names.accepted = { ...names.accepted, shortNames: wanted.shortNames };
  else names.conflict = { reason: 'ShortNamesConflict', message: aggregate(texts) };
  decide('kind', 'KindConflict', kinds);
  decide('listKind', 'ListKindConflict', kinds);
  const { plural, singular, shortNames, kind, listKind } = names.accepted;
  names.accepted = { plural, singular, shortNames, kind, listKind, categories: wanted.categories };
  return names;
}

/** Several texts as one: equal ones once. */
function aggregate(texts: readonly string[]): string {
  const different = [...new Set(texts)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(', ')}]`;
}

/** The conditions that follow from the names alone. A kind that is established stays so, whatever names are wanted later. */
function findingsOf(definition: KubeObject, { conflict }: Names): DefinitionFinding[] {
  const named: DefinitionFinding = conflict
    ? { type: 'NamesAccepted', status: 'False', ...conflict }
    : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const established = conditionOf(definition, 'Established');
  if (established?.status === 'True') return [named];
  if (!conflict)
    return [named, { type: 'Established', status: 'False', reason: 'Installing', message: 'the initial names have been accepted' }];
  if (established) return [named];
  return [named, { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }];
}

/**
 * The definition with the names that it may have and the conditions that follow (upstream: the naming controller); itself where there
 * is nothing to say.
 * @param now cluster time, ms
 */
export function withAcceptedNames(definition: KubeObject, taken: TakenNames, now: number): KubeObject {
  if (namesAreSettled(definition)) return definition;
  const before = acceptedNamesOf(definition);
  const names = decideNames(definition.spec.names as DefinitionNames, before, taken);
  const findings = findingsOf(definition, names);
  const [named] = findings as [DefinitionFinding];
  const known = conditionOf(definition, 'NamesAccepted');
  if (saysSo(known, named) && jsonEqual(before, names.accepted)) return definition;
  let changed: KubeObject = { ...definition, status: { ...definition.status, acceptedNames: names.accepted } };
  for (const finding of findings) changed = withDefinitionCondition(changed, finding, now);
  return changed;
}
