import { bodyMediaTypes } from '../decode';
import { patchMediaTypes } from '../patch';
import { schemaData } from '../schema';
import { pathParameters, usedBy } from './endpoints';
import type { Endpoint, Operation } from './endpoints';
import { definitionSchema, patchName, reachable, referenceTo, scalarSchemas } from './schemas';
import type { OpenApiSchema } from './schemas';

/** Swagger 2.0 as far as the API uses it; gnostic.ts writes the same as protobuf. */
export interface SwaggerDocument {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, SwaggerPath>>;
  readonly definitions: Readonly<Record<string, OpenApiSchema>>;
}
export type SwaggerPath = Partial<Record<Operation['method'], SwaggerOperation>> & { readonly parameters: readonly SwaggerParameter[] };
export interface SwaggerOperation {
  readonly operationId: string;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly schemes: readonly string[];
  readonly parameters: readonly SwaggerParameter[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly schema?: OpenApiSchema }>>;
  readonly 'x-kubernetes-action': string;
  readonly 'x-kubernetes-group-version-kind': Operation['kind'];
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
export function v2Document(endpoints: readonly Endpoint[], groupVersions: readonly { group: string; version: string }[]): SwaggerDocument {
  const definitions: Record<string, OpenApiSchema> = scalarSchemas('v2');
  for (const of of reachable(usedBy(endpoints))) {
    definitions[of.openApiName] = definitionSchema(of, 'v2', groupVersions);
  }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: schemaData.release },
    paths: Object.fromEntries(
      [...endpoints].sort((a, b) => (a.path < b.path ? -1 : 1)).map((endpoint) => [endpoint.path, pathItem(endpoint)]),
    ),
    definitions: Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function pathItem({ path, operations }: Endpoint): SwaggerPath {
  const item: Partial<Record<Operation['method'], SwaggerOperation>> = {};
  for (const operation of operations) item[operation.method] = operationObject(operation);
  const inPath = pathParameters(path).map((name): SwaggerParameter => ({
    uniqueItems: true,
    type: 'string',
    name,
    in: 'path',
    required: true,
  }));
  return { ...item, parameters: [...inPath, { uniqueItems: true, type: 'string', name: 'pretty', in: 'query' }] };
}

function operationObject({ operationId, action, query, body, result, created, kind, method }: Operation): SwaggerOperation {
  const schema = result ? { $ref: referenceTo(result.openApiName, 'v2') } : { type: 'string' };
  const bodySchema = body && { $ref: referenceTo(body === 'patch' ? patchName : body.openApiName, 'v2') };
  return {
    operationId,
    consumes: body === 'patch' ? patchMediaTypes : ['*/*'],
    produces: result ? bodyMediaTypes : ['text/plain'],
    schemes: ['https'],
    parameters: [
      ...(bodySchema ? [{ name: 'body', in: 'body', required: method !== 'delete', schema: bodySchema } as const] : []),
      ...query.map(({ name, type }) => ({ uniqueItems: true, type, name, in: 'query' }) as const),
    ],
    responses: {
      '200': { description: 'OK', schema },
      ...(created ? { '201': { description: 'Created', schema } } : {}),
      '401': { description: 'Unauthorized' },
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind,
  };
}
