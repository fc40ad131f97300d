import { isObject } from '#libs/kernel';
import type { Json, JsonObject } from '#libs/kernel';
import { setOwn } from '../decode';
import type { Definition, Field } from '../schema';
import { goPrint, goTypeName } from './go-print';
import { mergeOrder } from './merge-order';

/** A patch that cannot be applied. `badRequest`: its form is wrong (400); otherwise upstream answers 500 with the text alone. */
export class StrategicMergeError extends Error {
  constructor(
    message: string,
    readonly badRequest = false,
  ) {
    super(message);
  }
}

const directive = '$patch';
const retainKeys = '$retainKeys';
const orderPrefix = '$setElementOrder/';
const deletePrefix = '$deleteFromPrimitiveList/';

/** What is known of a field: where a struct is reached, and how a list merges. Maps and unknown fields have neither. */
interface Meta {
  readonly of?: Definition;
  readonly merges: boolean;
  readonly mergeKey: string;
}
const plainMeta: Meta = { merges: false, mergeKey: '' };

function metaOf(field: Field | undefined): Meta {
  if (!field) return plainMeta;
  const ref =
    field.ref.type === 'list' || field.ref.type === 'map' ? (field.ref.type === 'list' ? field.ref.item : field.ref.value) : field.ref;
  const of = ref.type === 'struct' && field.ref.type !== 'map' ? ref.of : undefined;
  return { of, merges: field.patchStrategies.includes('merge'), mergeKey: field.mergeKey ?? '' };
}

/**
 * Strategic merge: maps merge key by key, lists of structs by their merge key, lists of texts as sets where the field says so;
 * directives delete, replace, order and retain. Neither argument is changed.
 * @throws StrategicMergeError
 */
export function applyStrategicMerge(of: Definition | undefined, original: JsonObject, patch: JsonObject): JsonObject {
  return mergeMap(of, original, patch);
}

function mergeMap(of: Definition | undefined, original: JsonObject, patch: JsonObject): JsonObject {
  if (Object.hasOwn(patch, directive)) return applyMapDirective(patch);
  const merged: JsonObject = {};
  const retained = retainedKeys(patch);
  for (const key of Object.keys(original)) if (!retained || retained.has(key)) setOwn(merged, key, original[key]);
  const ordered = mergeOrderedLists(of, merged, patch);
  for (const key of Object.keys(patch)) {
    if (key === retainKeys || key.startsWith(orderPrefix) || ordered.has(key)) continue;
    if (key.startsWith(deletePrefix)) deleteFromList(merged, key.slice(deletePrefix.length), patch[key] as Json);
    else mergeField(of, merged, key, patch[key] as Json);
  }
  return merged;
}

function applyMapDirective(patch: JsonObject): JsonObject {
  const given = patch[directive];
  if (given === 'delete') return {};
  if (given !== 'replace') throw new StrategicMergeError(`unknown patch type: ${goPrint(given)} in map: ${goPrint(patch)}`);
  const replaced: JsonObject = {};
  for (const key of Object.keys(patch)) if (key !== directive) setOwn(replaced, key, patch[key]);
  return replaced;
}

/** `$retainKeys`: keys of the original that stay; every key the patch sets must be among them. */
function retainedKeys(patch: JsonObject): Set<string> | undefined {
  if (!Object.hasOwn(patch, retainKeys)) return undefined;
  const list = patch[retainKeys];
  const bad = new StrategicMergeError('invalid patch format of retainKeys', true);
  if (!Array.isArray(list)) throw bad;
  const keys = new Set(list.filter((key): key is string => typeof key === 'string'));
  for (const key of Object.keys(patch)) {
    if (key === retainKeys || patch[key] === null || key.startsWith(deletePrefix) || key.startsWith(orderPrefix)) continue;
    if (!keys.has(key)) throw bad;
  }
  return keys;
}

function mergeField(of: Definition | undefined, merged: JsonObject, key: string, value: Json): void {
  const present = Object.hasOwn(merged, key) ? merged[key] : undefined;
  if (value === null) {
    delete merged[key];
    return;
  }
  const isReplaced = of?.byName.get(key)?.patchStrategies.includes('replace');
  if (isReplaced && isObject(value)) setOwn(merged, key, value);
  else if (isObject(present) && isObject(value)) {
    setOwn(merged, key, mergeMap(metaOf(of?.byName.get(key)).of, present, value));
  } else if (Array.isArray(present) && Array.isArray(value)) {
    const meta = metaOf(of?.byName.get(key));
    setOwn(merged, key, meta.merges ? mergeList(meta, present, value) : value);
  } else {
    const kept = withoutDirectives(value);
    if (kept === undefined) delete merged[key];
    else setOwn(merged, key, kept);
  }
}

/** What a patch says of something the original does not have: nulls and directives fall away. */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item): item is Json => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directive)) return undefined;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const item = value[key] === null ? undefined : withoutDirectives(value[key] as Json);
    if (item !== undefined) setOwn(kept, key, item);
  }
  return kept;
}

function deleteFromList(merged: JsonObject, key: string, values: Json): void {
  const present = Object.hasOwn(merged, key) ? merged[key] : undefined;
  if (values === null) delete merged[key];
  else if (Array.isArray(present) && Array.isArray(values)) {
    const gone = new Set(values);
    setOwn(
      merged,
      key,
      present.filter((item) => !gone.has(item)),
    );
  }
}

/** `$setElementOrder/x`: merges list x and gives it the order; the keys so dealt with are returned. */
function mergeOrderedLists(of: Definition | undefined, merged: JsonObject, patch: JsonObject): Set<string> {
  const dealt = new Set<string>();
  for (const directiveKey of Object.keys(patch)) {
    if (!directiveKey.startsWith(orderPrefix)) continue;
    const key = directiveKey.slice(orderPrefix.length);
    const order = listOf(patch[directiveKey]);
    const present = Object.hasOwn(merged, key) ? listOf(merged[key]) : undefined;
    const given = Object.hasOwn(patch, key) ? listOf(patch[key]) : undefined;
    const meta = metaOf(of?.byName.get(key));
    checkOrder(given ?? [], order, meta.mergeKey);
    if (!present && !given) continue;
    const list = !given
      ? (present as Json[])
      : !present
        ? (withoutDirectives(given) as Json[])
        : meta.merges
          ? mergeList(meta, present, given)
          : given;
    setOwn(merged, key, mergeOrder(list, order, present ?? [], keyReader(meta)));
    dealt.add(key);
  }
  return dealt;
}

function listOf(value: Json | undefined): Json[] {
  if (Array.isArray(value)) return value;
  throw new StrategicMergeError(`expected a []interface {}, but received a ${goTypeName(value)}`);
}

/** Elements of the patch must come in the order that the directive names. */
function checkOrder(given: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (given.length === 0 || order.length === 0) return;
  const keyOf = (item: Json | undefined): Json | undefined => (mergeKey === '' ? item : isObject(item) ? item[mergeKey] : undefined);
  const wanted = given.filter((item) => !(isObject(item) && Object.hasOwn(item, directive)));
  let at = 0;
  for (const place of order) if (at < wanted.length && keyOf(wanted[at]) === keyOf(place)) at++;
  if (at < wanted.length) {
    throw new StrategicMergeError(
      `The order in patch list:\n${goPrint([...given])}\n doesn't match $setElementOrder list:\n${goPrint([...order])}\n`,
    );
  }
}

function mergeKeyOf(item: Json, mergeKey: string): Json {
  if (!isObject(item)) throw new StrategicMergeError(`expected a map[string]interface {}, but received a ${goTypeName(item)}`);
  const value = Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined;
  if (value === undefined) throw new StrategicMergeError(`map: ${goPrint(item)} does not contain declared merge key: ${mergeKey}`);
  return value;
}

function keyReader({ mergeKey }: Meta): (item: Json) => Json {
  return mergeKey === '' ? (item) => item : (item) => mergeKeyOf(item, mergeKey);
}

function mergeList(meta: Meta, original: readonly Json[], patch: readonly Json[]): Json[] {
  if (original.length === 0 && patch.length === 0) return [];
  const kinds = new Set([...original, ...patch].map((item) => (Array.isArray(item) ? 'list' : isObject(item) ? 'map' : typeof item)));
  if (kinds.has('list')) throw new StrategicMergeError('lists of lists are not supported');
  if (kinds.size > 1) throw new StrategicMergeError('list element types are not identical');
  if (!kinds.has('map')) return mergeOrder([...new Set([...original, ...patch])], patch, original, (item) => item);
  if (meta.mergeKey === '') throw new StrategicMergeError(`cannot merge lists without merge key for ${meta.of?.goName ?? ''}`);
  const { kept, changes, replace } = applyListDirectives(meta.mergeKey, original as JsonObject[], patch as JsonObject[]);
  if (replace) return mergeOrder(changes, [], changes, keyReader(meta));
  const merged = mergeByKey(meta, kept, changes);
  return mergeOrder(merged, changes, kept, keyReader(meta));
}

/** Takes `$patch: delete` and `$patch: replace` elements out of a patch list. */
function applyListDirectives(mergeKey: string, original: readonly JsonObject[], patch: readonly JsonObject[]) {
  const gone = new Set<Json | undefined>();
  const changes: JsonObject[] = [];
  let replace = false;
  for (const item of patch) {
    const given = Object.hasOwn(item, directive) ? item[directive] : undefined;
    if (given === undefined) changes.push(item);
    else if (given === 'delete') gone.add(mergeKeyOf(item, mergeKey));
    else if (given === 'replace') replace = true;
    else if (given === 'merge') throw new StrategicMergeError('merging lists cannot yet be specified in the patch');
    else throw new StrategicMergeError(`unknown patch type: ${goPrint(given)} in map: ${goPrint(item)}`);
  }
  const kept = gone.size === 0 ? original : original.filter((candidate) => !gone.has(candidate[mergeKey]));
  return { kept, changes, replace };
}

function mergeByKey(meta: Meta, original: readonly JsonObject[], changes: readonly JsonObject[]): JsonObject[] {
  const merged = [...original];
  const places = new Map<Json | undefined, number>();
  original.forEach((item, index) => {
    const key = item[meta.mergeKey];
    if (!places.has(key)) places.set(key, index);
  });
  for (const change of changes) {
    const key = mergeKeyOf(change, meta.mergeKey);
    const place = places.get(key);
    if (place !== undefined) merged[place] = mergeMap(meta.of, merged[place] as JsonObject, change);
    else places.set(key, merged.push(change) - 1);
  }
  return merged;
}
