import type { IndexedValue, ResourceTable } from '#libs/cluster-state';
import type { KubeObject, ObjectKey } from '#libs/kernel';
import type { FieldSelector, LabelSelector } from '#libs/kube-api';
import type { Selection } from './list-options';

type LabelRequirement = LabelSelector['requirements'][number];
type FieldTerm = FieldSelector['terms'][number];

/** Where so many of all keys are left, walking through them all is no dearer. */
const worthwhile = 1 / 4;

/**
 * The keys that a selection can match at all, found by one value that it demands: of all that it demands, that which fewest objects have.
 * Undefined where it demands none, or where that would not spare much. In the order of keys; to be used in this turn of the event loop.
 */
export function narrowed(table: ResourceTable, { labels, fields }: Selection): readonly ObjectKey[] | undefined {
  let fewest: readonly ObjectKey[] | undefined;
  const take = (keys: readonly ObjectKey[] | undefined): void => {
    if (keys && keys.length < (fewest?.length ?? Number.POSITIVE_INFINITY)) fewest = keys;
  };
  for (const requirement of labels.requirements) if (demandsOne(requirement)) take(withLabel(table, requirement));
  for (const term of fields.terms) if (term.equal) take(withField(table, term));
  return fewest && fewest.length <= table.keys().length * worthwhile ? fewest : undefined;
}

function demandsOne({ operator, values }: LabelRequirement): boolean {
  return (operator === '=' || operator === '==' || operator === 'in') && values.length === 1;
}

function withLabel(table: ResourceTable, { key, values }: LabelRequirement): readonly ObjectKey[] | undefined {
  return table.keysWith(`label ${key}`, labelOf(key), values[0] as string);
}

function labelOf(key: string): IndexedValue {
  return ({ metadata: { labels } }: KubeObject) => (labels && Object.hasOwn(labels, key) ? labels[key] : undefined);
}

/** The same field of two views of an object is read in two ways: their readers are told apart. */
function withField(table: ResourceTable, { field, read, value }: FieldTerm): readonly ObjectKey[] | undefined {
  return table.keysWith(`field ${field} ${readerName(read)}`, read, value);
}

const readers = new WeakMap<IndexedValue, number>();
let readersCount = 0;

function readerName(read: IndexedValue): number {
  let name = readers.get(read);
  if (name === undefined) readers.set(read, (name = readersCount++));
  return name;
}
