import type { Type } from '../types/type';

/** A type with what its schema says of sizes: most elements, properties or characters, and the least bytes that a value takes. */
export class DeclaredType {
  constructor(
    readonly type: Type,
    /** Elements, entries or code points at most; 0: not measured. */
    readonly most: number,
    /** Bytes of the smallest value, as JSON. */
    readonly least: number,
    /** Of objects; names as expressions write them. */
    private readonly fields?: ReadonlyMap<string, DeclaredType>,
    readonly key?: DeclaredType,
    readonly element?: DeclaredType,
  ) {}

  field(name: string): DeclaredType | undefined {
    return this.fields?.get(name) ?? this.fields?.get(`__${name}__`);
  }

  /** As cel-go's estimates see fields: keywords under their escaped names only. */
  fieldAsWritten(name: string): DeclaredType | undefined {
    return this.fields?.get(name);
  }

  *inner(): Generator<DeclaredType> {
    if (this.fields) yield* this.fields.values();
    if (this.element) yield this.element;
  }
}
