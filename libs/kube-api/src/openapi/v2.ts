import { schemaData } from '../schema';
import type { Endpoint, Operation } from './operation';
import { mediaTypesOf, patchTypesOf, sharedQuery, statusesOf, statusTexts } from './operation';
import { pathParameters, sorted, type Parameter } from './parameters';
import { patchName, referenceTo, schemasOf } from './schemas';
import type { OpenApiSchema } from './schemas';

/** Swagger 2.0 as far as the API uses it; gnostic.ts writes the same as protobuf. */
export interface SwaggerDocument {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, SwaggerPath>>;
  readonly definitions: Readonly<Record<string, OpenApiSchema>>;
}
export type SwaggerPath = Partial<Record<Operation['method'], SwaggerOperation>> & { readonly parameters?: readonly SwaggerParameter[] };
export interface SwaggerOperation {
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly schemes: readonly string[];
  readonly parameters?: readonly SwaggerParameter[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly schema?: OpenApiSchema }>>;
  readonly 'x-kubernetes-action'?: string;
  readonly 'x-kubernetes-group-version-kind'?: Operation['kind'];
}
export interface SwaggerParameter {
  readonly name: string;
  readonly in: 'body' | 'path' | 'query';
  readonly required?: boolean;
  readonly type?: string;
  readonly uniqueItems?: boolean;
  readonly schema?: OpenApiSchema;
}

/** One document for everything that is served. */
export function v2Document(endpoints: readonly Endpoint[]): SwaggerDocument {
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: schemaData.release },
    paths: Object.fromEntries(
      [...endpoints].sort((a, b) => (a.path < b.path ? -1 : 1)).map((endpoint) => [endpoint.path, pathItem(endpoint)]),
    ),
    definitions: schemasOf(endpoints, 'v2'),
  };
}

function parameterObject({ name, in: place, type }: Parameter): SwaggerParameter {
  return { uniqueItems: true, type, name, in: place, ...(place === 'path' ? { required: true } : {}) };
}

function pathItem(endpoint: Endpoint): SwaggerPath {
  const item: Partial<Record<Operation['method'], SwaggerOperation>> = {};
  const shared = sharedQuery(endpoint);
  const isShared = new Set(shared.map(({ name }) => name));
  for (const operation of endpoint.operations) {
    const own = operation.query.filter(({ name }) => !isShared.has(name));
    item[operation.method] = operationObject(operation, own);
  }
  const parameters = sorted([...pathParameters(endpoint.path), ...shared]).map(parameterObject);
  return parameters.length > 0 ? { ...item, parameters } : item;
}

function operationObject(operation: Operation, own: readonly Parameter[]): SwaggerOperation {
  const { operationId, tag, action, body, result, kind, method } = operation;
  const schema = result ? { $ref: referenceTo(result.openApiName, 'v2') } : { type: 'string' };
  const bodySchema = body && { $ref: referenceTo(body === 'patch' ? patchName : body.openApiName, 'v2') };
  const parameters: SwaggerParameter[] = [
    ...(bodySchema ? [{ name: 'body', in: 'body', required: method !== 'delete', schema: bodySchema } as const] : []),
    ...sorted(own).map(parameterObject),
  ];
  return {
    tags: [tag],
    operationId,
    consumes: body === 'patch' ? patchTypesOf(operation) : ['*/*'],
    produces: mediaTypesOf(operation),
    schemes: ['https'],
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: {
      ...Object.fromEntries(statusesOf(operation).map((status) => [status, { description: statusTexts[status] as string, schema }])),
      '401': { description: 'Unauthorized' },
    },
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(kind ? { 'x-kubernetes-group-version-kind': kind } : {}),
  };
}
