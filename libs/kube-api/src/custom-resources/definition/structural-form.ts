import { entriesOf, itemListOf, itemsOf, valuesOf, type GivenSchema } from './given-schema';

/** What a structural schema has no place for: the field, and how a text names it. */
const unsupported: readonly (readonly [string, (schema: GivenSchema) => boolean])[] = [
  ['id', ({ id }) => Boolean(id)],
  ['schema', ({ $schema }) => Boolean($schema)],
  ['$ref', ({ $ref }) => Boolean($ref)],
  ['patternProperties', ({ patternProperties }) => entriesOf(patternProperties).length > 0],
  ['dependencies', ({ dependencies }) => Object.keys(dependencies ?? {}).length > 0],
  ['additionalItems', ({ additionalItems }) => additionalItems !== undefined && additionalItems !== null],
  ['definitions', ({ definitions }) => entriesOf(definitions).length > 0],
];

/** Why a schema cannot be read as a structural one at all; undefined: it can (upstream `NewStructural`). */
export function structuralProblem(schema: GivenSchema): string | undefined {
  for (const [name, isUsed] of unsupported) if (isUsed(schema)) return `OpenAPIV3Schema '${name}' is not supported`;
  for (const inner of [schema.not, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    const problem = inner && structuralProblem(inner);
    if (problem) return problem;
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (itemListOf(schema).length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const inner of [itemsOf(schema), ...entriesOf(schema.properties).map(([, property]) => property), valuesOf(schema)]) {
    const problem = inner && structuralProblem(inner);
    if (problem) return problem;
  }
  return undefined;
}
