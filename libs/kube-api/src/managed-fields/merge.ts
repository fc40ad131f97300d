import type { Json, JsonObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import { setOwn } from '../decode';
import { elementOf } from './list-elements';
import type { PathElement } from './path-element';
import { deduced, fieldType, resolved, type DeducedType, type ListType, type MapType, type StructType, type ValueType } from './value-type';

type Value = Json | undefined;

/**
 * A value with what a configuration says of it: nothing is removed, and where both say something the configuration is right. Elements of lists
 * come in the order of the configuration, with those that it does not name where they stood.
 */
export function merge(type: ValueType, live: Value, config: Value): Value {
  const [left, right] = [resolved(type, live), resolved(type, config)];
  return mergeKnown(config === undefined ? left : right, live, config);
}

function mergeKnown(type: Exclude<ValueType, DeducedType>, live: Value, config: Value): Value {
  const either = config === undefined ? live : config;
  switch (type.is) {
    case 'scalar':
      return either;
    case 'list': {
      const [left, right] = [Array.isArray(live) ? live : [], Array.isArray(config) ? config : []];
      // Whether it is empty or null is kept.
      if (type.list === 'atomic' || (left.length === 0 && right.length === 0)) return either;
      return mergeLists(type, left, right);
    }
    default: {
      const [left, right] = [isObject(live) ? live : {}, isObject(config) ? config : {}];
      if (type.atomic || (Object.keys(left).length === 0 && Object.keys(right).length === 0)) return either;
      return mergeMaps(type, left, right);
    }
  }
}

function mergeMaps(type: StructType | MapType, live: JsonObject, config: JsonObject): Value {
  const merged: JsonObject = {};
  const names = new Set([...Object.keys(live), ...Object.keys(config)]);
  for (const name of names) {
    const [left, right] = [live, config].map((map) => (Object.hasOwn(map, name) ? map[name] : undefined));
    if (left === undefined && right === undefined) continue;
    const value = merge(fieldType(type, name) ?? deduced, left, right);
    if (value !== undefined) setOwn(merged, name, value);
  }
  return Object.keys(merged).length > 0 ? merged : undefined;
}

/** The elements in their order, those that come twice as they come; and by element: null where it comes twice, since such are not merged. */
function indexed(type: ListType, list: readonly Json[]): { elements: PathElement[]; values: Map<PathElement, Json> } {
  const elements = list.map((item) => elementOf(type, item));
  const values = new Map<PathElement, Json>();
  elements.forEach((element, index) => values.set(element, values.has(element) ? null : (list[index] as Json)));
  return { elements, values };
}

function mergeLists(type: ListType, live: readonly Json[], config: readonly Json[]): Value {
  const [left, right] = [indexed(type, live), indexed(type, config)];
  const shared = right.elements.filter((element) => left.values.has(element));
  const done = new Set<PathElement>();
  const merged: Json[] = [];
  const take = (liveItem: Value, configItem: Value): void => {
    const item = merge(type.element, liveItem, configItem);
    if (item !== undefined) merged.push(item);
  };
  let [l, r, next] = [0, 0, 0];
  while (l < left.elements.length || r < right.elements.length) {
    const [mine, theirs] = [left.elements[l], right.elements[r]];
    if (mine !== undefined && theirs !== undefined) {
      if (mine === theirs) {
        done.add(mine);
        take(left.values.get(mine), right.values.get(mine));
        l++;
        r++;
        next++;
        continue;
      }
      const wanted = shared[next];
      // One that both have, but not the one whose turn it is.
      if (right.values.has(mine) && wanted !== undefined && wanted !== mine) {
        l++;
        continue;
      }
    }
    if (mine !== undefined) {
      if (!right.values.has(mine)) {
        take(live[l], undefined);
        l++;
        continue;
      }
      if (done.has(mine)) l++;
    }
    if (theirs === undefined) continue;
    done.add(theirs);
    take(left.values.get(theirs), right.values.get(theirs));
    r++;
    if (shared[next] === theirs) next++;
  }
  return merged.length > 0 ? merged : undefined;
}
