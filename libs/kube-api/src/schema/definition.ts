import type { SchemaData } from './data-format';
import { readField } from './notation';
import type { Field, TypeRef } from './notation';

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
  /** Of a custom kind, whose fields no Go struct has: how documents show it, and what it leads to. */
  readonly custom?: {
    readonly schema: (dialect: 'v2' | 'v3') => Record<string, unknown>;
    readonly leadsTo: readonly Definition[];
  };
  /** To server-side apply the whole struct is one value. */
  readonly atomic: boolean;
  /** The kinds that look so; absent: none, or the release's table of kinds says which. */
  readonly kinds?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
}

/** What definitions are read from: lines of fields by name (see notation.ts). */
export type DefinitionData = Pick<SchemaData, 'definitions'> & Partial<Pick<SchemaData, 'openApiNames' | 'atomic'>>;

/**
 * Definitions that refer to one another by name, each read on first use. A set may stand on another one, whose names it then knows
 * too: the definitions of a custom kind use the metadata of the release.
 */
export class Definitions {
  private readonly read = new Map<string, Definition>();
  private readonly atomic: ReadonlySet<string>;

  constructor(
    private readonly data: DefinitionData,
    private readonly base?: Definitions,
  ) {
    this.atomic = new Set(data.atomic);
  }

  /** By short name; undefined where there is none. */
  find(name: string): Definition | undefined {
    const known = this.read.get(name);
    if (known) return known;
    const lines = Object.hasOwn(this.data.definitions, name) ? this.data.definitions[name] : undefined;
    if (!lines) return this.base?.find(name);
    const fields = lines.map((line, index) => readField(line, index, (other) => this.get(other)));
    const definition: Definition = {
      name,
      openApiName: this.data.openApiNames?.[name] ?? `io.k8s.api.${name}`,
      goName: name.slice(name.lastIndexOf('.') + 1),
      fields,
      byName: new Map(fields.map((field) => [field.name, field])),
      atomic: this.atomic.has(name),
    };
    this.read.set(name, definition);
    return definition;
  }

  /** As `find`, for a name that a definition refers to. */
  get(name: string): Definition {
    const found = this.find(name);
    if (!found) throw new Error(`no definition ${name}`);
    return found;
  }
}

/** The definition a type leads to through lists and maps, if it leads to one. */
export function structOf(ref: TypeRef): Definition | undefined {
  if (ref.type === 'struct') return ref.of;
  if (ref.type === 'list') return structOf(ref.item);
  return ref.type === 'map' ? structOf(ref.value) : undefined;
}
