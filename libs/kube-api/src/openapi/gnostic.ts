import { ProtobufWriter } from '../protobuf';
import type { OpenApiSchema } from './schemas';
import type { SwaggerDocument, SwaggerOperation, SwaggerParameter, SwaggerPath } from './v2';

/**
 * The swagger document as `openapi.v2.Document`, the protobuf form that clients up to 1.28 insist on. Numbers are those of the
 * gnostic models; anything that is no field of theirs (`x-…`) is an extension, its value as YAML, of which JSON is a part.
 */
export function gnosticDocument(document: SwaggerDocument): Buffer {
  return new ProtobufWriter()
    .text(1, document.swagger)
    .message(2, (info) => info.text(1, document.info.title).text(2, document.info.version))
    .message(8, (paths) => {
      for (const [name, path] of Object.entries(document.paths)) {
        paths.message(2, (named) => named.text(1, name).message(2, (item) => writePath(item, path)));
      }
    })
    .message(9, (definitions) => writeNamedSchemas(definitions, 1, document.definitions))
    .finish();
}

const methodNumbers = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 } as const;

function writePath(item: ProtobufWriter, path: SwaggerPath): void {
  for (const [method, number] of Object.entries(methodNumbers) as [keyof typeof methodNumbers, number][]) {
    const operation = path[method];
    if (operation) item.message(number, (writer) => writeOperation(writer, operation));
  }
  for (const parameter of path.parameters ?? []) writeParameter(item, 9, parameter);
}

function writeOperation(writer: ProtobufWriter, operation: SwaggerOperation): void {
  writer.texts(1, operation.tags).text(5, operation.operationId).texts(6, operation.produces).texts(7, operation.consumes);
  for (const parameter of operation.parameters ?? []) writeParameter(writer, 8, parameter);
  writer.message(9, (responses) => {
    for (const [code, { description, schema }] of Object.entries(operation.responses)) {
      responses.message(1, (named) =>
        named.text(1, code).message(2, (value) =>
          value.message(1, (response) => {
            response.text(1, description);
            // SchemaItem, of which the first kind is a schema.
            if (schema) response.message(2, (item) => item.message(1, (inner) => writeSchema(inner, schema)));
          }),
        ),
      );
    }
  });
  writer.texts(10, operation.schemes);
  writeExtensions(writer, 13, operation);
}

/** ParametersItem → Parameter → body (1) or other (2) → query (3) or path (4). */
function writeParameter(writer: ProtobufWriter, number: number, parameter: SwaggerParameter): void {
  writer.message(number, (item) =>
    item.message(1, (either) => {
      if (parameter.in === 'body') {
        either.message(1, (body) => {
          body.text(2, parameter.name).text(3, 'body').flag(4, parameter.required);
          if (parameter.schema) body.message(5, (schema) => writeSchema(schema, parameter.schema as OpenApiSchema));
        });
      } else if (parameter.in === 'query') {
        either.message(2, (other) =>
          other.message(3, (query) =>
            query.text(2, 'query').text(4, parameter.name).text(6, parameter.type).flag(20, parameter.uniqueItems),
          ),
        );
      } else {
        either.message(2, (other) =>
          other.message(4, (path) =>
            path.flag(1, true).text(2, 'path').text(4, parameter.name).text(5, parameter.type).flag(19, parameter.uniqueItems),
          ),
        );
      }
    }),
  );
}

function writeNamedSchemas(writer: ProtobufWriter, number: number, schemas: Readonly<Record<string, OpenApiSchema>>): void {
  for (const [name, schema] of Object.entries(schemas)) {
    writer.message(number, (named) => named.text(1, name).message(2, (inner) => writeSchema(inner, schema)));
  }
}

function writeSchema(writer: ProtobufWriter, schema: OpenApiSchema): void {
  writer
    .text(1, schema['$ref'] as string)
    .text(2, schema['format'] as string)
    .text(4, schema['description'] as string);
  if (schema['default'] !== undefined) writer.message(5, (any) => any.text(2, JSON.stringify(schema['default'])));
  writer.texts(19, schema['required'] as string[]);
  const additional = schema['additionalProperties'] as OpenApiSchema | undefined;
  if (additional) writer.message(21, (item) => item.message(1, (inner) => writeSchema(inner, additional)));
  if (schema['type']) writer.message(22, (type) => type.texts(1, [schema['type'] as string]));
  const items = schema['items'] as OpenApiSchema | undefined;
  if (items) writer.message(23, (item) => item.message(1, (inner) => writeSchema(inner, items)));
  const properties = schema['properties'] as Record<string, OpenApiSchema> | undefined;
  if (properties) writer.message(25, (inner) => writeNamedSchemas(inner, 1, properties));
  writeExtensions(writer, 31, schema);
}

function writeExtensions(writer: ProtobufWriter, number: number, holder: object): void {
  for (const [name, value] of Object.entries(holder)) {
    if (name.startsWith('x-'))
      writer.message(number, (named) => named.text(1, name).message(2, (any) => any.text(2, `${JSON.stringify(value)}\n`)));
  }
}
