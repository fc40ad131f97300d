import { bodyMediaTypes } from '../decode';
import { patchMediaTypes } from '../patch';
import { schemaData } from '../schema';
import { pathParameters, usedBy } from './endpoints';
import type { Endpoint, Operation } from './endpoints';
import { definitionSchema, patchName, reachable, referenceTo, scalarSchemas } from './schemas';
import type { OpenApiSchema } from './schemas';

/** `apps/v1` of a document's place in the index: `apis/apps/v1`; core: `api/v1`. */
export function documentPath(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** The document of one group version: its paths, and every schema they lead to. */
export function v3Document(endpoints: readonly Endpoint[], groupVersions: readonly { group: string; version: string }[]): object {
  const schemas: Record<string, OpenApiSchema> = scalarSchemas('v3');
  for (const of of reachable(usedBy(endpoints))) {
    schemas[of.openApiName] = definitionSchema(of, 'v3', groupVersions);
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: schemaData.release },
    paths: Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, pathItem(endpoint)])),
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  };
}

function pathItem({ path, operations }: Endpoint): object {
  const item: Record<string, unknown> = {};
  for (const operation of operations) item[operation.method] = operationObject(operation);
  const inPath = pathParameters(path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string', uniqueItems: true } }));
  return { ...item, parameters: [...inPath, { name: 'pretty', in: 'query', schema: { type: 'string', uniqueItems: true } }] };
}

function content(types: readonly string[], openApiName: string): object {
  const schema = { $ref: referenceTo(openApiName, 'v3') };
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function operationObject({ operationId, action, query, body, result, created, kind, method }: Operation): object {
  const ok = {
    description: 'OK',
    content: result ? content(bodyMediaTypes, result.openApiName) : { 'text/plain': { schema: { type: 'string' } } },
  };
  const request = body === 'patch' ? content(patchMediaTypes, patchName) : body ? content(['*/*'], body.openApiName) : undefined;
  return {
    operationId,
    ...(query.length > 0
      ? { parameters: query.map(({ name, type }) => ({ name, in: 'query', schema: { type, uniqueItems: true } })) }
      : {}),
    ...(request ? { requestBody: { content: request, ...(method === 'delete' ? {} : { required: true }) } } : {}),
    responses: { '200': ok, ...(created ? { '201': { ...ok, description: 'Created' } } : {}), '401': { description: 'Unauthorized' } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind,
  };
}
