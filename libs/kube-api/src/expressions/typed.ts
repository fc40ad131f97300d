import { declareType, type DeclaredType, type Schema } from '#libs/cel';
import type { Definition, TypeRef } from '../schema';

/** What expressions see of a kind when they are checked against it: what OpenAPI gives no one type for (quantities) is not there. */
const schemas = new WeakMap<Definition, DeclaredType>();

/** The type of whole objects of a kind. */
export function declaredKind(of: Definition, kind: string): DeclaredType {
  let known = schemas.get(of);
  if (!known) schemas.set(of, (known = declareType(schemaOf(of, []), kind) as DeclaredType));
  return known;
}

/** @param within the definitions that this one is in: what is in itself is told of no further */
function schemaOf(of: Definition, within: readonly Definition[]): Schema {
  if (within.includes(of)) return { type: 'object', properties: {} };
  const inner = [...within, of];
  const properties: Record<string, Schema> = {};
  for (const { name, ref } of of.fields) {
    const schema = schemaOfType(ref, inner);
    if (schema) properties[name] = schema;
  }
  return { type: 'object', properties };
}

function schemaOfType(ref: TypeRef, within: readonly Definition[]): Schema | undefined {
  switch (ref.type) {
    case 'struct':
      return schemaOf(ref.of, within);
    case 'list': {
      const items = schemaOfType(ref.item, within);
      return items && { type: 'array', items };
    }
    case 'map': {
      const additionalProperties = schemaOfType(ref.value, within);
      return additionalProperties && { type: 'object', additionalProperties };
    }
    default:
      return scalars[ref.scalar];
  }
}

const scalars: Readonly<Partial<Record<Extract<TypeRef, { type: 'scalar' }>['scalar'], Schema>>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  time: { type: 'string', format: 'date-time' },
  microTime: { type: 'string', format: 'date-time' },
  fieldsV1: { type: 'object', properties: {} },
  raw: { type: 'object', properties: {} },
};
