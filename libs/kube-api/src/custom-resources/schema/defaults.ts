import { isObject, type Json, type JsonObject } from '#libs/kernel';
import { memberOf, propertyOf, type Schema } from './schema';

const isRefusedNull = (value: Json | undefined, schema: Schema | undefined): boolean =>
  value === null && schema !== undefined && schema.nullable !== true;

const hasDefault = ({ default: value }: Schema): boolean => value !== undefined && value !== null;

/** Fills in what a schema declares, in place: where nothing is, and where null is that may not be. */
export function setSchemaDefaults(schema: Schema | undefined, draft: Json): void {
  if (!schema) return;
  if (Array.isArray(draft)) {
    const { items } = schema;
    draft.forEach((item, index) => {
      if (isRefusedNull(item, items)) draft[index] = defaultOf(items as Schema);
      setSchemaDefaults(items, draft[index] as Json);
    });
    return;
  }
  if (!isObject(draft)) return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!hasDefault(property)) continue;
    if (!Object.hasOwn(draft, name) || isRefusedNull(draft[name], property)) draft[name] = defaultOf(property);
  }
  for (const name of Object.keys(draft)) {
    const member = memberOf(schema, name);
    if (!propertyOf(schema, name) && isRefusedNull(draft[name], member)) draft[name] = defaultOf(member as Schema);
    setSchemaDefaults(member, draft[name] as Json);
  }
}

function defaultOf({ default: value = null }: Schema): Json {
  return structuredClone(value) as Json;
}

/** Takes out, in place, what is null, may not be, and has no default that would take its place. */
export function dropNulls(schema: Schema | undefined, draft: Json): void {
  if (!schema) return;
  if (Array.isArray(draft)) for (const item of draft) dropNulls(schema.items, item);
  else if (isObject(draft)) dropNullMembers(schema, draft);
}

function dropNullMembers(schema: Schema, draft: JsonObject): void {
  for (const name of Object.keys(draft)) {
    const member = memberOf(schema, name);
    if (!member) continue;
    if (isRefusedNull(draft[name], member) && !hasDefault(member)) delete draft[name];
    else dropNulls(member, draft[name] as Json);
  }
}
