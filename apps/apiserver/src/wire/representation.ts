import type { KubeObject } from '#libs/kernel';
import {
  apiVersionOf,
  badRequest,
  invalidValue,
  fieldErrorText,
  notAcceptableForList,
  notAcceptableRepresentation,
  schemaOf,
  type Failure,
  type ResourceKind,
} from '#libs/kube-api';
import { jsonType, type Answer } from '../http/answer';
import { readableTypes, type Negotiated } from '../negotiation/accept';
import { itemJson, objectJson, partialJson, viewOf } from './object-json';
import { tableJson, type IncludeObject } from './table';

/** How a client wants objects shown. */
export interface Presentation {
  negotiated: Negotiated;
  includeObject: IncludeObject;
  /** Moment that ages are counted to, ms. */
  now: number;
}

export interface ListMetadata {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

/** `includeObject` of a request; only Tables look at it. */
export function readIncludeObject(text: string, negotiated: Negotiated): IncludeObject | Failure {
  if (negotiated.as !== 'Table' || text === '') return 'Metadata';
  if (text === 'Metadata' || text === 'Object' || text === 'None') return text;
  const error = invalidValue('includeObject', text, "must be 'Metadata', 'Object', 'None', or empty");
  return badRequest(`Unable to convert to Table as requested: ${fieldErrorText(error)}`);
}

/** One object, as asked for. */
export function presentObject(kind: ResourceKind, object: KubeObject, presentation: Presentation): string | Failure {
  const { as, asVersion = 'v1' } = presentation.negotiated;
  switch (as) {
    case undefined:
      return objectJson(kind, object);
    case 'PartialObjectMetadata':
      return partialJson(viewOf(kind, object), asVersion);
    case 'Table':
      return tableJson(kind, [object], { resourceVersion: object.metadata.resourceVersion ?? '' }, presentation, asVersion);
    case 'PartialObjectMetadataList':
      return notAcceptableRepresentation(readableTypes);
  }
}

/** A list, written out item by item. */
export function presentList(kind: ResourceKind, objects: readonly KubeObject[], metadata: ListMetadata, presentation: Presentation): string | Failure {
  const { as, asVersion = 'v1' } = presentation.negotiated;
  switch (as) {
    case undefined:
      return listJson(`${kind.kind}List`, kind.apiVersion, metadata, objects.map((object) => itemJson(kind, object)));
    case 'PartialObjectMetadataList': {
      const items = objects.map((object) => partialJson(viewOf(kind, object), asVersion));
      return listJson('PartialObjectMetadataList', apiVersionOf('meta.k8s.io', asVersion), metadata, items);
    }
    case 'Table':
      return tableJson(kind, objects, metadata, presentation, asVersion);
    case 'PartialObjectMetadata':
      return notAcceptableForList(as, `*${internalPackage(kind)}.${kind.kind}List`);
  }
}

function listJson(kind: string, apiVersion: string, metadata: ListMetadata, items: readonly string[]): string {
  return `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":[${items.join(',')}]}`;
}

/** Where upstream keeps the kind's internal form: `core`, `apps`. */
function internalPackage({ group, version, kind }: ResourceKind): string {
  return schemaOf({ group, version, kind })?.name.split('.')[0] ?? group;
}

/** JSON text as the answer that was negotiated: compact, indented, or YAML. */
export async function answerOf(status: number, json: string, negotiated: Negotiated): Promise<Answer> {
  if (negotiated.format === 'yaml') {
    const { yamlOf } = await import('./yaml.js');
    return { status, contentType: 'application/yaml', body: yamlOf(json), compressible: true };
  }
  const body = negotiated.pretty ? JSON.stringify(JSON.parse(json), null, 2) : `${json}\n`;
  return { status, contentType: jsonType, body, compressible: true };
}

/** A refusal: never a Table, but YAML where YAML was asked for. */
export async function refusalOf(status: Failure, negotiated: Negotiated): Promise<Answer> {
  const answer = await answerOf(status.code, JSON.stringify(status), negotiated);
  const seconds = status.details?.retryAfterSeconds;
  return seconds ? { ...answer, headers: { 'Retry-After': String(seconds) } } : answer;
}
