import { isObject } from '#libs/kernel';
import type { Json, JsonObject } from '#libs/kernel';
import { setOwn } from '../decode';
import type { Definition } from '../schema';
import { goPrint, goPrintText, goTypeName } from './go-print';
import { mergeOrder } from './merge-order';
import { lookUpList, lookUpObject, StrategicMergeError, type ListMeta } from './merge-meta';

export { StrategicMergeError };

const directive = '$patch';
const retainKeys = '$retainKeys';
const orderPrefix = '$setElementOrder';
const deletePrefix = '$deleteFromPrimitiveList';

/**
 * Strategic merge: maps merge key by key, lists of structs by their merge key, lists of texts as sets where the field says so;
 * directives delete, replace, order and retain. The original stays as it is; of the patch remains what upstream leaves of it, which error
 * texts quote: directives that were followed are taken out, and so are nulls and directives of what is new.
 * @throws StrategicMergeError
 */
export function applyStrategicMerge(of: Definition | undefined, original: JsonObject, patch: JsonObject): JsonObject {
  return mergeMap(of, original, patch);
}

function mergeMap(of: Definition | undefined, original: JsonObject, patch: JsonObject): JsonObject {
  if (Object.hasOwn(patch, directive)) return followMapDirective(patch);
  const merged: JsonObject = {};
  const retained = retainedKeys(patch);
  for (const key of Object.keys(original)) if (!retained || retained.has(key)) setOwn(merged, key, original[key]);
  mergeOrderedLists(of, merged, patch);
  for (const key of Object.keys(patch)) {
    const isDeletion = key.startsWith(deletePrefix);
    mergeField(of, merged, isDeletion ? fieldOf(key, deletePrefix, 'primitive') : key, patch[key] as Json, isDeletion);
  }
  return merged;
}

/** `x` of `$setElementOrder/x`. */
function fieldOf(key: string, prefix: string, what: string): string {
  if (!key.startsWith(`${prefix}/`)) throw new StrategicMergeError(`invalid patch format of ${what} list`, 400);
  return key.slice(prefix.length + 1);
}

function followMapDirective(patch: JsonObject): JsonObject {
  const given = patch[directive];
  if (given === 'delete') return {};
  if (given !== 'replace') throw unknownDirective(given, patch);
  delete patch[directive];
  return patch;
}

function unknownDirective(given: Json | undefined, patch: JsonObject): StrategicMergeError {
  return new StrategicMergeError(`unknown patch type: ${goPrintText(given)} in map: ${goPrint(patch)}`);
}

/** `$retainKeys`: keys of the original that stay; every key the patch sets must be among them. */
function retainedKeys(patch: JsonObject): Set<string> | undefined {
  if (!Object.hasOwn(patch, retainKeys)) return undefined;
  const list = patch[retainKeys];
  delete patch[retainKeys];
  const bad = new StrategicMergeError('invalid patch format of retainKeys', 400);
  if (!Array.isArray(list)) throw bad;
  const keys = new Set(list.filter((key): key is string => typeof key === 'string'));
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || key.startsWith(deletePrefix) || key.startsWith(orderPrefix)) continue;
    if (!keys.has(key)) throw bad;
  }
  return keys;
}

/** @param isDeletion the value lists what goes from the field, of which nothing else changes */
function mergeField(of: Definition | undefined, merged: JsonObject, key: string, value: Json, isDeletion: boolean): void {
  if (value === null) {
    delete merged[key];
    return;
  }
  const present = Object.hasOwn(merged, key) ? merged[key] : undefined;
  if (isObject(present) && isObject(value)) {
    const { inner, strategy } = lookUpObject(of, key);
    setOwn(merged, key, strategy === 'replace' ? value : mergeMap(inner, present, value));
  } else if (Array.isArray(present) && Array.isArray(value)) {
    const meta = lookUpList(of, key);
    const merges = meta.strategy === 'merge' || isDeletion;
    setOwn(merged, key, merges ? mergeList(meta, present, value, isDeletion) : value);
  } else if (!isDeletion || (present !== undefined && goTypeName(present) === goTypeName(value))) {
    discardNulls(value);
    const kept = withoutDirectives(value);
    if (kept === undefined) delete merged[key];
    else setOwn(merged, key, kept);
  }
}

/** Null says nothing of what is not there. */
function discardNulls(value: Json): void {
  if (Array.isArray(value)) value.forEach(discardNulls);
  else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (value[key] === null) delete value[key];
      else discardNulls(value[key] as Json);
    }
  }
}

/** Whatever has a directive falls away. */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item): item is Json => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directive)) return undefined;
  for (const key of Object.keys(value)) {
    const item = withoutDirectives(value[key] as Json);
    if (item === undefined) delete value[key];
    else setOwn(value, key, item);
  }
  return value;
}

/** `$setElementOrder/x`: merges list x, gives it the order, and takes both out of the patch. */
function mergeOrderedLists(of: Definition | undefined, merged: JsonObject, patch: JsonObject): void {
  for (const directiveKey of Object.keys(patch)) {
    if (!directiveKey.startsWith(orderPrefix)) continue;
    const order = listOf(patch[directiveKey]);
    delete patch[directiveKey];
    const key = fieldOf(directiveKey, orderPrefix, 'setElementOrder');
    const present = Object.hasOwn(merged, key) ? listOf(merged[key]) : undefined;
    const given = Object.hasOwn(patch, key) ? listOf(patch[key]) : undefined;
    const meta = lookUpList(of, key);
    checkOrder(given ?? [], order, meta.mergeKey);
    if (!present && !given) continue;
    const list = orderedList(meta, present, given);
    if (meta.mergeKey !== '' && list.length > 0) checkPlaces(order);
    if ((present ?? []).length + (given ?? []).length === 0) throw new StrategicMergeError('no elements in any of the given slices');
    elementType(present ?? [], given ?? []);
    setOwn(merged, key, mergeOrder(list, order, present ?? [], keyReader(meta)));
    delete patch[key];
  }
}

function orderedList(meta: ListMeta, present: Json[] | undefined, given: Json[] | undefined): Json[] {
  if (!given) return present ?? [];
  if (!present) return withoutDirectives(given) as Json[];
  return meta.strategy === 'merge' ? mergeList(meta, present, given, false) : given;
}

function listOf(value: Json | undefined): Json[] {
  if (Array.isArray(value)) return value;
  throw new StrategicMergeError(`expected a []interface {}, but received a ${goTypeName(value)}`);
}

function objectOf(value: Json | undefined): JsonObject {
  if (isObject(value)) return value;
  throw new StrategicMergeError(`expected a map[string]interface {}, but received a ${goTypeName(value)}`);
}

function checkPlaces(order: readonly Json[]): void {
  const wrong = order.findIndex((place) => !isObject(place));
  if (wrong >= 0) throw new StrategicMergeError(`value for key ${wrong} is not a map`);
}

/** Elements of the patch must come in the order that the directive names. */
function checkOrder(given: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (given.length === 0 || order.length === 0) return;
  const keyOf = (item: Json | undefined): Json | undefined => (mergeKey === '' ? item : mergeKeyOf(objectOf(item), mergeKey));
  const wanted = given.filter((item) => {
    const object = mergeKey === '' ? item : objectOf(item);
    return !(isObject(object) && Object.hasOwn(object, directive));
  });
  let at = 0;
  for (const place of order) if (at < wanted.length && keyOf(wanted[at]) === keyOf(place)) at++;
  if (at < wanted.length) {
    throw new StrategicMergeError(
      `The order in patch list:\n${goPrint([...given])}\n doesn't match $setElementOrder list:\n${goPrint([...order])}\n`,
    );
  }
}

function mergeKeyOf(item: Json, mergeKey: string): Json {
  const object = objectOf(item);
  const value = Object.hasOwn(object, mergeKey) ? object[mergeKey] : undefined;
  if (value === undefined) throw new StrategicMergeError(`map: ${goPrint(item)} does not contain declared merge key: ${mergeKey}`);
  return value;
}

function keyReader({ mergeKey }: ListMeta): (item: Json) => Json {
  return mergeKey === '' ? (item) => item : (item) => mergeKeyOf(item, mergeKey);
}

/** Go's type of the elements, which must be one. */
function elementType(...lists: readonly (readonly Json[])[]): string | undefined {
  const types = new Set(lists.flat().map(goTypeName));
  if (types.has('[]interface {}') && goTypeName(lists.flat()[0]) === '[]interface {}')
    throw new StrategicMergeError('lists of lists are not supported', 422);
  if (types.size > 1) throw new StrategicMergeError(`list element types are not identical: ${goPrint(lists as Json[][])}`);
  return [...types][0];
}

function mergeList(meta: ListMeta, original: readonly Json[], patch: readonly Json[], isDeletion: boolean): Json[] {
  if (original.length === 0 && patch.length === 0) return [];
  if (elementType(original, patch) !== 'map[string]interface {}') {
    if (isDeletion) return original.filter((item) => !patch.includes(item));
    return mergeOrder([...new Set([...original, ...patch])], patch, original, (item) => item);
  }
  if (meta.mergeKey === '') throw new StrategicMergeError(`cannot merge lists without merge key for ${meta.kind}`);
  const { kept, changes, replace } = followListDirectives(meta.mergeKey, original as JsonObject[], patch as JsonObject[]);
  if (replace) return mergeOrder(changes, [], changes, keyReader(meta));
  const merged = mergeByKey(meta, kept, changes);
  return mergeOrder(merged, changes, kept, keyReader(meta));
}

/** Takes `$patch: delete` and `$patch: replace` elements out of a patch list. */
function followListDirectives(mergeKey: string, original: readonly JsonObject[], patch: readonly JsonObject[]) {
  const gone = new Set<Json | undefined>();
  const changes: JsonObject[] = [];
  let replace = false;
  for (const item of patch) {
    const given = Object.hasOwn(item, directive) ? item[directive] : undefined;
    if (given === undefined) changes.push(item);
    else if (given === 'delete') gone.add(mergeKeyOf(item, mergeKey));
    else if (given === 'replace') replace = true;
    else if (given === 'merge') throw new StrategicMergeError('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(given, item);
  }
  const kept = gone.size === 0 ? original : original.filter((candidate) => !gone.has(candidate[mergeKey]));
  return { kept, changes, replace };
}

function mergeByKey(meta: ListMeta, original: readonly JsonObject[], changes: readonly JsonObject[]): JsonObject[] {
  const merged = [...original];
  const places = new Map<Json | undefined, number>();
  original.forEach((item, index) => {
    const key = item[meta.mergeKey];
    if (!places.has(key)) places.set(key, index);
  });
  for (const change of changes) {
    const key = mergeKeyOf(change, meta.mergeKey);
    const place = places.get(key);
    if (place !== undefined) merged[place] = mergeMap(meta.inner, merged[place] as JsonObject, change);
    else places.set(key, merged.push(change) - 1);
  }
  return merged;
}
