import { groupVersionPath } from '../kinds/names';
import { schemaData } from '../schema';
import type { Endpoint, Operation } from './operation';
import { mediaTypesOf, patchTypesOf, sharedQuery, statusesOf, statusTexts } from './operation';
import { pathParameters, sorted, type Parameter } from './parameters';
import { patchName, referenceTo, schemasOf } from './schemas';
import type { OpenApiSchema } from './schemas';

/** OpenAPI 3.0 as far as the API uses it; gnostic-v3.ts writes the same as protobuf. */
export interface DocumentV3 {
  readonly openapi: '3.0.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, PathItemV3>>;
  readonly components: {
    readonly schemas?: Readonly<Record<string, OpenApiSchema>>;
    readonly securitySchemes: Readonly<Record<string, { readonly type: string; readonly name: string; readonly in: string }>>;
  };
}
export type PathItemV3 = Partial<Record<Operation['method'], OperationV3>> & { readonly parameters?: readonly ParameterV3[] };
export interface OperationV3 {
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly parameters?: readonly ParameterV3[];
  readonly requestBody?: { readonly content: ContentV3; readonly required?: boolean };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: ContentV3 }>>;
  readonly 'x-kubernetes-action'?: string;
  readonly 'x-kubernetes-group-version-kind'?: Operation['kind'];
}
export interface ParameterV3 {
  readonly name: string;
  readonly in: Parameter['in'];
  readonly required?: boolean;
  readonly schema: OpenApiSchema;
}
export type ContentV3 = Readonly<Record<string, { readonly schema: OpenApiSchema }>>;

/** `apps/v1` of a document's place in the index: `apis/apps/v1`; core: `api/v1`. */
export function documentPath(group: string, version: string): string {
  return groupVersionPath(group, version).slice(1);
}

/** `v1.34`: what a release of the API is called in its documents. */
const releaseVersion = schemaData.release.replace(/^v(\d+\.\d+).*$/, '$1');
const securitySchemes = { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } };

/** The document of some paths: they, and every schema they lead to. */
export function v3Document(endpoints: readonly Endpoint[]): DocumentV3 {
  const schemas = schemasOf(endpoints, 'v3');
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: releaseVersion },
    paths: Object.fromEntries(
      [...endpoints].sort((a, b) => (a.path < b.path ? -1 : 1)).map((endpoint) => [endpoint.path, pathItem(endpoint)]),
    ),
    components: { ...(Object.keys(schemas).length > 0 ? { schemas } : {}), securitySchemes },
  };
}

function pathItem(endpoint: Endpoint): PathItemV3 {
  const item: Partial<Record<Operation['method'], OperationV3>> = {};
  const shared = sharedQuery(endpoint);
  const isShared = new Set(shared.map(({ name }) => name));
  for (const operation of endpoint.operations) {
    const own = operation.query.filter(({ name }) => !isShared.has(name));
    item[operation.method] = operationObject(operation, own);
  }
  const parameters = sorted([...pathParameters(endpoint.path), ...shared]).map(parameterObject);
  return parameters.length > 0 ? { ...item, parameters } : item;
}

function parameterObject({ name, in: place, type }: Parameter): ParameterV3 {
  return { name, in: place, ...(place === 'path' ? { required: true } : {}), schema: { type, uniqueItems: true } };
}

function content(types: readonly string[], openApiName: string | undefined): ContentV3 {
  const schema = openApiName === undefined ? { type: 'string' } : { $ref: referenceTo(openApiName, 'v3') };
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function operationObject(operation: Operation, own: readonly Parameter[]): OperationV3 {
  const { operationId, tag, action, body, result, kind, method } = operation;
  const answer = content(mediaTypesOf(operation), result?.openApiName);
  const request = body === 'patch' ? content(patchTypesOf(operation), patchName) : body ? content(['*/*'], body.openApiName) : undefined;
  const statuses = statusesOf(operation).map(
    (status) => [status, { description: statusTexts[status] as string, content: answer }] as const,
  );
  return {
    tags: [tag],
    operationId,
    ...(own.length > 0 ? { parameters: sorted(own).map(parameterObject) } : {}),
    ...(request ? { requestBody: { content: request, ...(method === 'delete' ? {} : { required: true }) } } : {}),
    responses: { ...Object.fromEntries(statuses), '401': { description: 'Unauthorized' } },
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(kind ? { 'x-kubernetes-group-version-kind': kind } : {}),
  };
}
