import { boolType, DeclaredType, dynType, intType, listOf, mapOf, objectType, stringType, timestampType } from '#libs/cel';

const none = 0;

export const text = new DeclaredType(stringType, none, 2);
export const anything = new DeclaredType(dynType, none, 1);
export const truth = new DeclaredType(boolType, none, 4);
export const whole = new DeclaredType(intType, none, 1);
export const time = new DeclaredType(timestampType, none, 21);

/** At most so many characters. */
export const textOf = (most: number): DeclaredType => new DeclaredType(stringType, most, 2);

export function list(element: DeclaredType): DeclaredType {
  return new DeclaredType(listOf(element.type), none, 2, undefined, undefined, element);
}

export function map(element: DeclaredType, most = none, key = text): DeclaredType {
  return new DeclaredType(mapOf(stringType, element.type), most, 2, undefined, key, element);
}

export function object(name: string, fields: Readonly<Record<string, DeclaredType>>): DeclaredType {
  return new DeclaredType(objectType(name), none, 2, new Map(Object.entries(fields)));
}
