import type { Definition, Field, TypeRef } from '../schema';

/** A patch that cannot be applied. Where its form is wrong upstream answers 400, otherwise 500 with the text alone; 422 has no text. */
export class StrategicMergeError extends Error {
  constructor(
    message: string,
    readonly code: 400 | 422 | 500 = 500,
  ) {
    super(message);
  }
}

/** What a field's type says of merging. */
interface Meta {
  /** Where the field, or an element of it, is a struct. */
  readonly inner?: Definition;
  readonly strategy: 'merge' | 'replace' | '';
}

export interface ListMeta extends Meta {
  /** Empty where elements have no key to be merged by. */
  readonly mergeKey: string;
  /** Go's kind of the elements. */
  readonly kind: string;
}

/** @throws StrategicMergeError where the type has no such field */
export function lookUpObject(of: Definition | undefined, key: string): Meta {
  const field = fieldNamed(of, key);
  return { inner: structIn(field.ref), strategy: strategyOf(field) };
}

/** @throws StrategicMergeError where the type has no such field, or no list there */
export function lookUpList(of: Definition | undefined, key: string): ListMeta {
  const field = fieldNamed(of, key);
  const { ref } = field;
  // A pointer is taken for one to a list.
  if (ref.type !== 'list' && !field.pointer) throw new StrategicMergeError('expected slice or array type, but got: struct');
  const element = ref.type === 'list' ? ref.item : ref;
  return { inner: structIn(element), strategy: strategyOf(field), mergeKey: field.mergeKey ?? '', kind: kindOf(element) };
}

function fieldNamed(of: Definition | undefined, key: string): Field {
  if (!of) throw new StrategicMergeError('merging an object in json but data type is not struct, instead is: map');
  const field = of.byName.get(key);
  if (!field) throw new StrategicMergeError(`unable to find api field in struct ${of.goName} for the json field ${JSON.stringify(key)}`);
  return field;
}

const structIn = (ref: TypeRef): Definition | undefined => (ref.type === 'struct' ? ref.of : undefined);

function strategyOf({ patchStrategies }: Field): Meta['strategy'] {
  return patchStrategies.find((strategy): strategy is 'merge' | 'replace' => strategy === 'merge' || strategy === 'replace') ?? '';
}

function kindOf(ref: TypeRef): string {
  if (ref.type === 'list') return 'slice';
  return ref.type === 'scalar' ? 'string' : ref.type;
}
