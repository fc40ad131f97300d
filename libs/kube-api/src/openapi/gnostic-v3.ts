import { ProtobufWriter } from '../protobuf';
import type { OpenApiSchema } from './schemas';
import type { ContentV3, DocumentV3, OperationV3, ParameterV3, PathItemV3 } from './v3';

/**
 * A document of version 3 as `openapi.v3.Document`. Numbers are those of the gnostic models; anything that is no field of theirs (`x-…`) is an
 * extension, its value as YAML, of which JSON is a part.
 */
export function gnosticDocumentV3(document: DocumentV3): Buffer {
  const { schemas = {}, securitySchemes } = document.components;
  return new ProtobufWriter()
    .text(1, document.openapi)
    .message(2, (info) => info.text(1, document.info.title).text(6, document.info.version))
    .message(4, (paths) => {
      for (const [name, path] of Object.entries(document.paths)) {
        paths.message(1, (named) => named.text(1, name).message(2, (item) => writePath(item, path)));
      }
    })
    .message(5, (components) => {
      if (Object.keys(schemas).length > 0) components.message(1, (named) => writeNamedSchemas(named, schemas));
      components.message(7, (named) => writeSecuritySchemes(named, securitySchemes));
    })
    .finish();
}

const methodNumbers = { get: 4, put: 5, post: 6, delete: 7, options: 8, head: 9, patch: 10 } as const;

function writePath(item: ProtobufWriter, path: PathItemV3): void {
  for (const [method, number] of Object.entries(methodNumbers) as [keyof typeof methodNumbers, number][]) {
    const operation = path[method];
    if (operation) item.message(number, (writer) => writeOperation(writer, operation));
  }
  for (const parameter of path.parameters ?? []) writeParameter(item, 13, parameter);
}

function writeOperation(writer: ProtobufWriter, operation: OperationV3): void {
  writer.texts(1, operation.tags).text(5, operation.operationId);
  for (const parameter of operation.parameters ?? []) writeParameter(writer, 6, parameter);
  const { requestBody } = operation;
  if (requestBody) {
    writer.message(7, (either) =>
      either.message(1, (body) => {
        body.message(2, (types) => writeContent(types, requestBody.content)).flag(3, requestBody.required);
      }),
    );
  }
  writer.message(8, (responses) => {
    for (const [code, { description, content }] of Object.entries(operation.responses)) {
      responses.message(2, (named) =>
        named.text(1, code).message(2, (either) =>
          either.message(1, (response) => {
            response.text(1, description);
            if (content) response.message(3, (types) => writeContent(types, content));
          }),
        ),
      );
    }
  });
  writeExtensions(writer, 13, operation);
}

function writeParameter(writer: ProtobufWriter, number: number, { name, in: place, required, schema }: ParameterV3): void {
  writer.message(number, (either) =>
    either.message(1, (parameter) =>
      parameter
        .text(1, name)
        .text(2, place)
        .flag(4, required)
        .message(10, (inner) => writeSchema(inner, schema)),
    ),
  );
}

function writeContent(writer: ProtobufWriter, content: ContentV3): void {
  for (const [type, { schema }] of Object.entries(content)) {
    writer.message(1, (named) => named.text(1, type).message(2, (media) => media.message(1, (inner) => writeSchema(inner, schema))));
  }
}

function writeSecuritySchemes(writer: ProtobufWriter, schemes: DocumentV3['components']['securitySchemes']): void {
  for (const [name, scheme] of Object.entries(schemes)) {
    writer.message(1, (named) =>
      named
        .text(1, name)
        .message(2, (either) => either.message(1, (inner) => inner.text(1, scheme.type).text(3, scheme.name).text(4, scheme.in))),
    );
  }
}

function writeNamedSchemas(writer: ProtobufWriter, schemas: Readonly<Record<string, OpenApiSchema>>): void {
  for (const [name, schema] of Object.entries(schemas)) {
    writer.message(1, (named) => named.text(1, name).message(2, (inner) => writeSchema(inner, schema)));
  }
}

/** SchemaOrReference. */
function writeSchema(writer: ProtobufWriter, schema: OpenApiSchema): void {
  const $ref = schema['$ref'] as string | undefined;
  if ($ref === undefined) writer.message(1, (inner) => writeSchemaFields(inner, schema));
  else writer.message(2, (reference) => reference.text(1, $ref));
}

function writeSchemaFields(writer: ProtobufWriter, schema: OpenApiSchema): void {
  writer.flag(20, schema['uniqueItems'] as boolean).texts(23, schema['required'] as string[]);
  for (const value of (schema['enum'] as unknown[] | undefined) ?? []) writer.message(24, (any) => any.text(2, JSON.stringify(value)));
  writer.text(25, schema['type'] as string);
  for (const [number, key] of [
    [26, 'allOf'],
    [27, 'oneOf'],
  ] as const) {
    for (const each of (schema[key] as OpenApiSchema[] | undefined) ?? []) writer.message(number, (inner) => writeSchema(inner, each));
  }
  const items = schema['items'] as OpenApiSchema | undefined;
  if (items) writer.message(30, (item) => item.message(1, (inner) => writeSchema(inner, items)));
  const properties = schema['properties'] as Record<string, OpenApiSchema> | undefined;
  if (properties) writer.message(31, (inner) => writeNamedSchemas(inner, properties));
  const additional = schema['additionalProperties'] as OpenApiSchema | undefined;
  if (additional) writer.message(32, (item) => item.message(1, (inner) => writeSchema(inner, additional)));
  writeDefault(writer, schema['default']);
  writer.text(34, schema['description'] as string).text(35, schema['format'] as string);
  writeExtensions(writer, 36, schema);
}

/** The models have room for numbers, truth values and texts; of anything else there is only the place. */
function writeDefault(writer: ProtobufWriter, value: unknown): void {
  if (value === undefined) return;
  writer.message(33, (either) => {
    if (typeof value === 'number') either.double(1, value);
    else if (typeof value === 'boolean') either.chosen(2, value);
    else if (typeof value === 'string') either.chosenText(3, value);
  });
}

function writeExtensions(writer: ProtobufWriter, number: number, holder: object): void {
  for (const [name, value] of Object.entries(holder)) {
    if (name.startsWith('x-'))
      writer.message(number, (named) => named.text(1, name).message(2, (any) => any.text(2, `${JSON.stringify(value)}\n`)));
  }
}
