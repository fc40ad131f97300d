import type { Json } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import { goQuote } from '../status';
import { keyElement, valueElement, type PathElement } from './path-element';
import type { ListType } from './value-type';

/** Where an element of a set or of a list with keys stands; or why it cannot be told. */
export type Place = { readonly element: PathElement } | { readonly error: string };

/** A key that is not given counts as its default; one without a default is left out. */
export function placeOf(type: ListType, item: Json): Place {
  return type.list === 'map' ? placeByKeys(type, item) : placeByValue(item);
}

function placeByKeys({ keys, element: itemType }: ListType, item: Json): Place {
  if (item === null) return { error: 'associative list with keys may not have a null element' };
  if (!isObject(item)) return { error: 'associative list with keys may not have non-map elements' };
  const found: [string, Json][] = [];
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : itemType.is === 'struct' ? itemType.defaultOf(key) : undefined;
    if (value !== undefined) found.push([key, value]);
  }
  if (found.length > 0) return { element: keyElement(found) };
  const named = `[${keys.map(goQuote).join(' ')}]`;
  return {
    error: `associative list with keys has an element that omits all key fields ${named} (and doesn't have default values for any key fields)`,
  };
}

function placeByValue(item: Json): Place {
  if (item === null) return { error: "associative list without keys has an element that's an explicit null" };
  if (Array.isArray(item)) return { error: 'not supported: associative list with lists as elements' };
  if (typeof item === 'object') return { error: "associative list without keys has an element that's a map type" };
  return { element: valueElement(item) };
}

/** The place of an element of a list that has been found to be in order. */
export function elementOf(type: ListType, item: Json): PathElement {
  const place = placeOf(type, item);
  return 'element' in place ? place.element : 'v:null';
}
