import { isObject, jsonEqual, type Json } from '#libs/kernel';
import { memberOf, type Schema } from './schema';

/**
 * A value beside what it was before an update, as far as a schema tells which old value is the same one's: fields by their names, items of a
 * list of type `map` by their keys. Whatever is as it was is not held against an update, however wrong it is.
 */
export class Correlation {
  private same: boolean | undefined;
  private children: Map<string | number, Correlation | undefined> | undefined;
  private oldItems: ((item: Json) => Json | undefined) | undefined;

  constructor(
    readonly value: Json | undefined,
    readonly old: Json | undefined,
    private readonly schema: Schema,
  ) {}

  key(name: string): Correlation | undefined {
    return this.child(name, () => {
      const { value, old, schema } = this;
      if (!isObject(value) || !isObject(old) || !Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
      const member = memberOf(schema, name);
      return member && new Correlation(value[name], old[name], member);
    });
  }

  index(index: number): Correlation | undefined {
    return this.child(index, () => {
      const { value, old, schema } = this;
      if (!Array.isArray(value) || !Array.isArray(old) || !schema.items || schema['x-kubernetes-list-type'] !== 'map') return undefined;
      this.oldItems ??= itemsByKey(schema, old);
      const oldItem = this.oldItems(value[index] as Json);
      return oldItem === undefined ? undefined : new Correlation(value[index], oldItem, schema.items);
    });
  }

  /** Nothing of the value has changed. What cannot be told apart from something new counts as changed. */
  get isSame(): boolean {
    return (this.same ??= this.compared());
  }

  private compared(): boolean {
    const { value, old } = this;
    if (value === null || value === undefined || old === null || old === undefined) return (value ?? null) === (old ?? null);
    if (Array.isArray(value)) {
      if (!Array.isArray(old) || old.length !== value.length) return false;
      if (this.schema['x-kubernetes-list-type'] !== 'map') return jsonEqual(value, old);
      return value.every((_, index) => this.index(index)?.isSame === true);
    }
    if (!isObject(value)) return jsonEqual(value, old);
    const names = Object.keys(value);
    return isObject(old) && Object.keys(old).length === names.length && names.every((name) => this.key(name)?.isSame === true);
  }

  private child(name: string | number, make: () => Correlation | undefined): Correlation | undefined {
    this.children ??= new Map();
    if (!this.children.has(name)) this.children.set(name, make());
    return this.children.get(name);
  }
}

/** The first item with the same keys. Of a list that has no keys, and for an item that lacks one, there is none. */
export function itemsByKey(schema: Schema, items: readonly Json[]): (item: Json) => Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0) return () => undefined;
  const keyOf = (item: Json): string | undefined => {
    if (!isObject(item)) return undefined;
    const values = keys.map((key) => (Object.hasOwn(item, key) ? item[key] : undefined));
    return values.every((value) => ['string', 'number', 'boolean'].includes(typeof value)) ? JSON.stringify(values) : undefined;
  };
  const known = new Map<string, Json>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined && !known.has(key)) known.set(key, item);
  }
  return (item) => {
    const key = keyOf(item);
    return key === undefined ? undefined : known.get(key);
  };
}
