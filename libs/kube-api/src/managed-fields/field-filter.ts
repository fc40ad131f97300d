import { FieldSet } from './field-set';
import { fieldElement, fieldName } from './path-element';

/** Fields that a way of writing does not own, or the only ones that it does. */
export type FieldFilter = (set: FieldSet) => FieldSet;

export const everything: FieldFilter = (set) => set;

/** Names of fields from the top: `spec`, `metadata.labels`. */
const pathOf = (path: string) => path.split('.').map(fieldElement);

/** All but these fields and what is inside them. */
export function except(...paths: string[]): FieldFilter {
  if (paths.length === 0) return everything;
  const left = FieldSet.of(...paths.map(pathOf));
  return (set) => set.without(left);
}

/** What is at or below one of these paths; `*` stands for any element. */
export function only(...paths: string[]): FieldFilter {
  const patterns = paths.map((path) => path.split('.'));
  return (set) => matching(set, patterns);
}

function matching(set: FieldSet, patterns: readonly (readonly string[])[]): FieldSet {
  if (patterns.some((pattern) => pattern.length === 0)) return set;
  const fits = (element: string) => patterns.filter(([step]) => step === '*' || step === fieldName(element));
  const result = new FieldSet();
  for (const member of set.members) if (fits(member).length > 0) result.members.add(member);
  for (const [element, child] of set.children) {
    const [pattern] = fits(element);
    const found =
      pattern &&
      matching(
        child,
        fits(element).map((steps) => steps.slice(1)),
      );
    if (found && !found.isEmpty) result.children.set(element, found);
  }
  return result;
}

/** What belongs to the server: nobody owns it. */
const serversOwn = FieldSet.of(
  ...[
    'apiVersion',
    'kind',
    'metadata',
    'metadata.name',
    'metadata.namespace',
    'metadata.creationTimestamp',
    'metadata.selfLink',
    'metadata.uid',
    'metadata.clusterName',
    'metadata.generation',
    'metadata.managedFields',
    'metadata.resourceVersion',
  ].map(pathOf),
);

export function withoutServersOwn(set: FieldSet): FieldSet {
  return set.difference(serversOwn);
}
