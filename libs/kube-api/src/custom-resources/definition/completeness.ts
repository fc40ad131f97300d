import { required } from '../../status/field-error';
import type { Errors } from '../../validation/values';
import { entriesOf, itemsOf, propertyOf, type GivenSchema } from './given-schema';

/** What `allOf`, `anyOf`, `oneOf` or `not` of the root speak of is there in the form of the value (upstream `validateStructuralCompleteness`). */
export function validateCompleteness(schema: GivenSchema, field: string, errors: Errors): void {
  checkJunctions(schema, schema, field, field, errors);
}

/**
 * @param form the schema that tells the form, at `formField`; undefined: nothing tells it
 * @param field of the schema that speaks of it
 */
function checkJunctions(schema: GivenSchema, form: GivenSchema | undefined, formField: string, field: string, errors: Errors): void {
  if (schema.not) checkNested(schema.not, form, formField, `${field}.not`, errors);
  for (const junction of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, inner] of (schema[junction] ?? []).entries()) {
      checkNested(inner, form, formField, `${field}.${junction}[${index}]`, errors);
    }
  }
}

function checkNested(schema: GivenSchema, form: GivenSchema | undefined, formField: string, field: string, errors: Errors): void {
  if (!form) {
    errors.push(required(formField, `because it is defined in ${field}`));
    return;
  }
  checkJunctions(schema, form, formField, field, errors);
  const items = itemsOf(schema);
  if (items) checkNested(items, itemsOf(form), `${formField}.items`, `${field}.items`, errors);
  for (const [name, property] of entriesOf(schema.properties)) {
    checkNested(property, propertyOf(form, name), `${formField}.properties[${name}]`, `${field}.properties[${name}]`, errors);
  }
}
