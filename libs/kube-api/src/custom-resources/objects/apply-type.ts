import { definition } from '../../schema';
import { deduced, typeOf, type ListType, type MapType, type StructType, type ValueType } from '../../managed-fields/value-type';
import { propertyOf, valuesOf, type Schema } from '../schema';
import type { Json } from '#libs/kernel';

const text: ValueType = { is: 'scalar', scalar: 'string' };
const anyScalar: ValueType = { is: 'scalar', scalar: 'any' };

/**
 * How server-side apply looks at values of a schema (upstream: kube-openapi, `schemaconv`).
 * @param isWhole they are whole objects, with kind, version and metadata
 * @param isOpen unknown fields are kept somewhere above
 */
export function applyTypeOf(schema: Schema, isWhole = schema['x-kubernetes-embedded-resource'] === true, isOpen = false): ValueType {
  const keepsUnknown = isOpen || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema['x-kubernetes-int-or-string']) return anyScalar;
  switch (schema.type) {
    case 'string':
      return schema.format === undefined || schema.format === '' || schema.format === 'byte' ? text : anyScalar;
    case 'integer':
    case 'number':
      return { is: 'scalar', scalar: 'numeric' };
    case 'boolean':
      return { is: 'scalar', scalar: 'boolean' };
    case 'array':
      return listType(schema, keepsUnknown);
    case 'object':
      return objectType(schema, isWhole, keepsUnknown);
    default:
      return isWhole ? objectType(schema, isWhole, keepsUnknown) : deduced;
  }
}

function listType(schema: Schema, isOpen: boolean): ListType {
  const list = schema['x-kubernetes-list-type'];
  return {
    is: 'list',
    list: list === 'set' || list === 'map' ? list : 'atomic',
    keys: schema['x-kubernetes-list-map-keys'] ?? [],
    element: schema.items ? applyTypeOf(schema.items, undefined, isOpen) : deduced,
  };
}

function objectType(schema: Schema, isWhole: boolean, isOpen: boolean): MapType | StructType {
  const atomic = schema['x-kubernetes-map-type'] === 'atomic';
  const { properties, additionalProperties } = schema;
  const isFree = properties === undefined && additionalProperties === undefined && !isWhole;
  const others = valuesOf(schema)
    ? applyTypeOf(valuesOf(schema) as Schema, undefined, isOpen)
    : additionalProperties === true || isFree || isOpen
      ? deduced
      : undefined;
  if (properties === undefined && !isWhole && others) return { is: 'map', atomic, element: others };
  return new CustomStruct(schema, { atomic, isWhole, isOpen, others });
}

const ofEveryObject = (name: string): ValueType | undefined => {
  if (name === 'metadata') return typeOf(definition('meta.v1.ObjectMeta'));
  return name === 'kind' || name === 'apiVersion' ? text : undefined;
};

class CustomStruct implements StructType {
  readonly is = 'struct';
  readonly atomic: boolean;
  private readonly fields = new Map<string, ValueType | undefined>();

  constructor(
    private readonly schema: Schema,
    private readonly rules: { atomic: boolean; isWhole: boolean; isOpen: boolean; others: ValueType | undefined },
  ) {
    this.atomic = rules.atomic;
  }

  field(name: string): ValueType | undefined {
    if (!this.fields.has(name)) this.fields.set(name, this.find(name));
    return this.fields.get(name);
  }

  defaultOf(name: string): Json | undefined {
    return propertyOf(this.schema, name)?.default as Json | undefined;
  }

  private find(name: string): ValueType | undefined {
    const { isWhole, isOpen, others } = this.rules;
    const own = isWhole ? ofEveryObject(name) : undefined;
    if (own) return own;
    const property = propertyOf(this.schema, name);
    return property ? applyTypeOf(property, undefined, isOpen) : others;
  }
}
