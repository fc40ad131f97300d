import type { Json, JsonObject } from '#libs/kernel';
import { aggregateText, fieldErrorText, invalidValue } from '../../status/field-error';
import { isSet, type Errors } from '../../validation/values';
import { asResource, isMetaField, pruneValue, readEmbedded, validateEmbedded, validateRules, validateValue, type Schema } from '../schema';
import { schemaHas, type GivenSchema } from './given-schema';

/** Puts a default where it would stand in a whole object. */
type Surround = (value: Json) => JsonObject;

/** Where a schema stands: in which whole object, and whether within its metadata. */
interface Place {
  readonly root: Schema;
  readonly surround: Surround;
  readonly isInMetadata: boolean;
}

/** An object of which nothing else is known. */
const wholeObject: Surround = (value) => ({ kind: 'Validation', apiVersion: 'validation/v1', ...(value as JsonObject) });

/** Whether defaults of a structural schema are values of it (upstream `ValidateDefaults`). @param prunes they must not have fields that are unknown */
export function validateDefaults(schema: Schema, field: string, prunes: boolean, errors: Errors): void {
  const root = asResource(schema);
  new DefaultsCheck(prunes, errors).visit(root, field, { root, surround: wholeObject, isInMetadata: false });
}

class DefaultsCheck {
  constructor(
    private readonly prunes: boolean,
    private readonly errors: Errors,
  ) {}

  visit(schema: Schema, field: string, around: Place): void {
    const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
    const place = isEmbedded ? { root: schema, surround: wholeObject, isInMetadata: false } : around;
    if (isSet(schema.default)) this.check(schema, `${field}.default`, place);
    const { surround, isInMetadata } = place;
    // Below `additionalProperties` there are no defaults.
    if (schema.items) this.visit(schema.items, `${field}.items`, { ...place, surround: (value) => surround([value]) });
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      this.visit(property, `${field}.properties[${name}]`, {
        ...place,
        surround: (value) => surround({ [name]: value }),
        isInMetadata: isInMetadata || (isEmbedded && isMetaField(name)),
      });
    }
  }

  private check(schema: Schema, field: string, place: Place): void {
    const value = schema.default as Json;
    if (place.isInMetadata) {
      const problem = metadataProblem(place, value);
      if (problem !== undefined) {
        this.errors.push(invalidValue(field, value, `must result in valid metadata: ${problem}`));
        return;
      }
    } else {
      if (this.prunes && hasUnknown(schema, value)) this.errors.push(invalidValue(field, value, 'must not have unknown fields'));
      if (!this.isSoundResource(schema, value, field)) return;
    }
    const wrong = validateValue(schema, value, { field, ofDefault: true });
    this.errors.push(...(wrong.length > 0 ? wrong : ruleErrors(schema, value, field)));
  }

  private isSoundResource(schema: Schema, value: Json, field: string): boolean {
    const draft = structuredClone(value);
    const { error } = readEmbedded(schema, draft, field);
    const errors = error ? [error] : validateEmbedded(schema, draft, field);
    this.errors.push(...errors);
    return errors.length === 0;
  }
}

/** As an object that has it from its beginning, and as one that comes to have it. */
function ruleErrors(schema: Schema, value: Json, field: string): Errors {
  const { errors } = validateRules(schema, value, { field, old: value });
  return errors.length > 0 ? errors : validateRules(schema, value, { field }).errors;
}

function metadataProblem({ root, surround }: Place, value: Json): string | undefined {
  const whole = asResource(root);
  const object = structuredClone(surround(value));
  const { error } = readEmbedded(whole, object);
  if (error) return fieldErrorText(error);
  const errors = validateEmbedded(whole, object).map((found) => ({ ...found, field: found.field.replace(/^\./, '') }));
  return errors.length > 0 ? aggregateText(errors) : undefined;
}

function hasUnknown(schema: Schema, value: Json): boolean {
  const unknown: string[] = [];
  pruneValue(schema, structuredClone(value), '', unknown);
  return unknown.length > 0;
}

/** Whether a default says more than its schema knows. */
export function hasUnknownInDefaults(schema: GivenSchema): boolean {
  return schemaHas(schema, (each) => isSet(each.default) && hasUnknown(each as Schema, each.default as Json));
}
