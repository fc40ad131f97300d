import recorded from '../../data/v1.34.json';
import { readField } from './notation';
import type { Field, TypeRef } from './notation';
import type { SchemaData } from './data-format';

/** A struct of the API: its fields in the order in which they are written. */
export interface Definition {
  /** Package and type: `core.v1.Pod`. */
  readonly name: string;
  /** `io.k8s.api.core.v1.Pod` */
  readonly openApiName: string;
  /** The type's own name, as decoding errors give it: `Pod`. */
  readonly goName: string;
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** To server-side apply the whole struct is one value. */
  readonly atomic: boolean;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Facts about the recorded release. */
export const schemaData = recorded as unknown as SchemaData;
const data = schemaData;

const read = new Map<string, Definition>();
const atomic = new Set(data.atomic);

/** The definition of a short name; read on first use. Undefined where the release has none. */
export function definitionOf(name: string): Definition | undefined {
  const known = read.get(name);
  if (known) return known;
  const lines = Object.hasOwn(data.definitions, name) ? data.definitions[name] : undefined;
  if (!lines) return undefined;
  const fields = lines.map((line, index) => readField(line, index));
  const definition: Definition = {
    name,
    openApiName: data.openApiNames[name] ?? `io.k8s.api.${name}`,
    goName: name.slice(name.lastIndexOf('.') + 1),
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
    atomic: atomic.has(name),
  };
  read.set(name, definition);
  return definition;
}

/** As `definitionOf`, for a name that the data itself refers to. */
export function definition(name: string): Definition {
  const found = definitionOf(name);
  if (!found) throw new Error(`no definition ${name} in ${data.release}`);
  return found;
}

/** The definition of a kind; DeleteOptions and WatchEvent belong to every group version. */
export function schemaOf({ group, version, kind }: GroupVersionKind): Definition | undefined {
  const key = `${group === '' ? version : `${group}/${version}`}/${kind}`;
  const name = Object.hasOwn(data.kinds, key)
    ? data.kinds[key]
    : Object.hasOwn(data.kinds, `*/${kind}`)
      ? data.kinds[`*/${kind}`]
      : undefined;
  return name === undefined ? undefined : definitionOf(name);
}

/** The definition a type leads to through lists and maps, if it leads to one. */
export function structOf(ref: TypeRef): Definition | undefined {
  if (ref.type === 'struct') return definition(ref.definition);
  if (ref.type === 'list') return structOf(ref.item);
  return ref.type === 'map' ? structOf(ref.value) : undefined;
}
